// Promises about the fork runner: each execution is confined, and sees nothing of the one before.
import type { ForkRunner, RunnerEnd, RunnerRequest } from '../../../contract/fork-runner.js'
import { has } from '../claims.js'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.js'
import { ensure, equal, within } from '../expectations.js'
import { newMark } from '../probe.js'

const group = 'runner'
const needs = 'python'
const requires = has('runner')
const SETTLE_MS = 15_000

const LEAVES = `
import builtins, os, sys
mark = sys.argv[1]
builtins.left = mark
os.environ["LEFT"] = mark
for folder in ".", "/tmp", "/dev/shm", "/var/tmp", os.environ.get("TMPDIR", "."), os.environ.get("HOME", "."):
    try: open(os.path.join(folder, mark), "w").write(mark)
    except OSError: pass
print("left")`

const LOOKS = `
import builtins, os, sys
mark = sys.argv[1]
found = []
if getattr(builtins, "left", None) == mark: found.append("a variable")
if os.environ.get("LEFT") == mark: found.append("an environment variable")
for folder in ".", "/tmp", "/dev/shm", "/var/tmp", os.environ.get("TMPDIR", "."), os.environ.get("HOME", "."):
    if os.path.exists(os.path.join(folder, mark)): found.append(folder)
print(found)`

async function openRunner(context: ConformanceContext): Promise<ForkRunner> {
  const sandbox = await context.open()
  const runner = await within(SETTLE_MS, 'runner()', sandbox.runner?.() ?? Promise.resolve(undefined))
  ensure(runner !== undefined, 'the sandbox has no runner()')
  return runner
}

/** Runs Python code in a fork, in a fresh workspace. */
async function fork(
  runner: ForkRunner,
  code: string,
  args: readonly string[] = [],
  more: Partial<RunnerRequest> = {},
): Promise<{ end: RunnerEnd; stdout: string; stderr: string }> {
  const text = { stdout: '', stderr: '' }
  const request: RunnerRequest = {
    program: { kind: 'python', entry: 'main.py', args },
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    cwd: '',
    workspace: 'fresh',
    files: { 'main.py': Buffer.from(code) },
    stdin: 'none',
    limits: {},
    ...more,
  }
  const execution = runner.start(request, {
    onOutput: (stream, data) => {
      text[stream] += Buffer.from(data).toString()
    },
  })
  const end = await within(SETTLE_MS, 'a forked execution', execution.ended)
  return { end, ...text }
}

export const runnerCases: readonly ConformanceCase[] = [
  {
    name: 'runs Python code in a fork and tells output, errors and exit code',
    group,
    needs,
    requires,
    async check(context) {
      const runner = await openRunner(context)
      const { end, stdout } = await fork(runner, 'import sys; print(__name__, sys.argv[1:]); sys.exit(4)', [
        'a b',
        '',
      ])
      equal([end.how, stdout], [{ kind: 'exit', code: 4 }, "__main__ ['a b', '']\n"], 'end and output')
      const failed = await fork(runner, '\nraise ValueError("told")')
      equal(failed.end.how, { kind: 'exit', code: 1 }, 'the end of code that raises')
      ensure(
        failed.stderr.includes('line 2') && failed.stderr.includes('ValueError: told'),
        `standard error should tell: ${failed.stderr}`,
      )
    },
  },
  {
    name: 'shows a forked execution nothing of the one before',
    group,
    needs,
    requires,
    async check(context) {
      const runner = await openRunner(context)
      const mark = newMark()
      equal((await fork(runner, LEAVES, [mark])).stdout, 'left\n', 'what the first execution printed')
      equal((await fork(runner, LOOKS, [mark])).stdout, '[]\n', 'what the second execution found')
    },
  },
  {
    name: 'sends back the files that a forked execution changed',
    group,
    needs,
    requires,
    async check(context) {
      const runner = await openRunner(context)
      const code =
        'import os; os.remove("gone.txt"); os.mkdir("d"); open("d/new.bin", "wb").write(bytes(range(256)))'
      const files = {
        'main.py': Buffer.from(code),
        'gone.txt': Buffer.from('x'),
        'same.txt': Buffer.from('y'),
      }
      const { end } = await fork(runner, code, [], { files, collect: { files: 10, bytes: 10_000 } })
      equal(
        end.files?.map(({ path }) => path),
        ['d/new.bin'],
        'the files that were sent back',
      )
      ensure(
        Buffer.from(end.files?.[0]?.content ?? []).equals(
          Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index)),
        ),
        'the file came back otherwise than it was written',
      )
      equal(end.deleted, ['gone.txt'], 'the files that are gone')
    },
  },
  {
    name: 'kills a forked execution with all that it started',
    group,
    needs,
    requires,
    async check(context) {
      const runner = await openRunner(context)
      const code =
        'import os, time\nif os.fork() == 0: os.setsid()\nprint("ready", flush=True)\ntime.sleep(12)'
      let ready = (): void => undefined
      const started = new Promise<void>((resolve) => {
        ready = resolve
      })
      const execution = runner.start(
        {
          program: { kind: 'python', entry: 'main.py', args: [] },
          env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
          cwd: '',
          workspace: 'fresh',
          files: { 'main.py': Buffer.from(code) },
          stdin: 'none',
          limits: {},
        },
        { onOutput: () => ready() },
      )
      await within(SETTLE_MS, 'the first line', started)
      execution.kill()
      const end = await within(5_000, 'a forked execution that was killed', execution.ended)
      equal([end.how.kind, end.leftover], ['signal', false], 'how it ended and whether something is left')
      equal((await fork(runner, 'print("usable")')).stdout, 'usable\n', 'what the next execution printed')
    },
  },
]
