// Promises about the end of a sandbox, and that nothing is left of it.
import { getEventListeners } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '../../../contract/sandbox.js'
import { onLinux } from '../claims.js'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.js'
import { ensure, equal, refused, succeeded, within } from '../expectations.js'
import { eventually, hostProcesses, newMark, PATIENT, quietly, setEnvironment } from '../probe.js'
import { startLong } from './aborts.js'

const group = 'closing'
const EXECUTIONS = 100
/** One-off helpers of a provider, such as a process that serves all sandboxes, may be there from the first one on. */
const WARM_UP = 3

/** What a case that counts does: it opens, runs many, closes. */
async function runMany(
  context: ConformanceContext,
  count: number,
  mark: string,
  signal: AbortSignal,
): Promise<void> {
  const sandbox = await context.provider.create({ signal })
  try {
    for (let done = 0; done < count; done += 4)
      await Promise.all(
        Array.from({ length: Math.min(4, count - done) }, (_, index) =>
          runOne(sandbox, done + index, mark, signal),
        ),
      )
  } finally {
    await sandbox.close()
  }
}

/** Every tenth is ended at its limit. */
async function runOne(sandbox: Sandbox, number: number, mark: string, signal: AbortSignal): Promise<void> {
  const late = number % 10 === 9
  const command = [
    'sh',
    '-c',
    `echo x > ${number}.txt; mktemp > /dev/null; ${late ? 'sleep 9 &\nwait' : 'cat'}`,
    mark,
  ]
  const result = await sandbox.exec(command, { signal, limits: { wallMs: late ? 200 : 20_000 } })
  if (late) equal(result.outcome.kind, 'timeout', 'the outcome of a program that hangs')
  else succeeded(result, 'a short program')
}

/** A folder for temporary files that only this case uses. */
function ownTemporaryFolder(context: ConformanceContext): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'conformance-'))
  context.afterwards(() => rm(folder, { recursive: true, force: true }))
  // Like any temporary folder: a sandbox may run its programs as somebody else.
  chmodSync(folder, 0o1777)
  setEnvironment(context, { TMPDIR: folder, TEMP: folder, TMP: folder })
  return folder
}

const descriptors = (): number => readdirSync('/proc/self/fd').length

/** Ids of live children of this process. */
function children(): string[] {
  return readdirSync('/proc').filter((name) => {
    const stat = /^\d+$/.test(name) ? quietly(`/proc/${name}/stat`) : ''
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(process.pid)
  })
}

export const closingCases: readonly ConformanceCase[] = [
  {
    name: 'may be closed twice, and twice at once',
    group,
    needs: 'nothing',
    async check({ open }) {
      const sandbox = await open()
      await Promise.all([sandbox.close(), sandbox.close()])
      await sandbox.close()
      await sandbox[Symbol.asyncDispose]()
    },
  },
  {
    name: 'says that it is closed, whatever is asked of it afterwards',
    group,
    needs: 'nothing',
    async check({ open }) {
      const sandbox = await open()
      await sandbox.files.write({ a: 'x' })
      await sandbox[Symbol.asyncDispose]()
      const { files } = sandbox
      await refused('exec() after close()', 'SANDBOX_CLOSED', () => sandbox.exec('true'))
      await refused('write() after close()', 'SANDBOX_CLOSED', () => files.write({ a: '' }))
      await refused('read() after close()', 'SANDBOX_CLOSED', () => files.read('a'))
      await refused('readText() after close()', 'SANDBOX_CLOSED', () => files.readText('a'))
      await refused('list() after close()', 'SANDBOX_CLOSED', () => files.list())
      await refused('stat() after close()', 'SANDBOX_CLOSED', () => files.stat('a'))
      await refused('remove() after close()', 'SANDBOX_CLOSED', () => files.remove('a'))
      const { spawn, runner } = sandbox
      if (spawn) await refused('spawn() after close()', 'SANDBOX_CLOSED', () => spawn.call(sandbox, 'true'))
      if (runner) await refused('runner() after close()', 'SANDBOX_CLOSED', () => runner.call(sandbox))
    },
  },
  {
    name: 'ends what runs when it is closed, and keeps what it had printed',
    group,
    async check({ open, overrunMs }) {
      const sandbox = await open()
      const { result } = await startLong(sandbox)
      await within(1_000 + overrunMs, 'close() during a run', sandbox.close())
      const { outcome, stdout } = await within(5_000, 'a program whose sandbox was closed', result)
      equal([outcome, stdout.text], [{ kind: 'aborted' }, 'ready\n'], 'outcome and output')
    },
  },
  {
    name: 'removes what programs left, whatever its rights and however deep it lies',
    group,
    async check(context) {
      const folder = ownTemporaryFolder(context)
      const sandbox = await context.open()
      const command =
        'mkdir -p locked/inner; echo x > locked/inner/f; chmod 000 locked/inner locked; i=0; while [ $i -lt 40 ]; do mkdir deep-deep-deep && cd deep-deep-deep; i=$((i+1)); done; true'
      succeeded(await sandbox.exec(command, PATIENT), 'leaving folders')
      await sandbox.close()
      equal(readdirSync(folder), [], 'what is left in the folder for temporary files')
    },
  },
  {
    name: 'leaves no listener on the signals of its caller',
    group,
    async check(context) {
      const { signal } = new AbortController()
      await runMany(context, 8, newMark(), signal)
      equal(getEventListeners(signal, 'abort').length, 0, 'listeners on the signal')
    },
  },
  {
    name: 'leaves no process, descriptor or temporary file behind over a hundred executions',
    group,
    requires: onLinux,
    deadlineMs: 90_000,
    async check(context) {
      const folder = ownTemporaryFolder(context)
      const { signal } = new AbortController()
      const mark = newMark()
      await runMany(context, WARM_UP, mark, signal)
      const before = { descriptors: descriptors(), children: children() }
      await runMany(context, EXECUTIONS, mark, signal)
      equal(readdirSync(folder), [], 'what is left in the folder for temporary files')
      const known = new Set(before.children)
      const gone = await eventually(
        2_000,
        () => hostProcesses(mark).length === 0 && children().every((pid) => known.has(pid)),
      )
      ensure(
        gone,
        `processes are left: ${[...hostProcesses(mark), ...children().filter((pid) => !known.has(pid))].join(', ')}`,
      )
      const closed = await eventually(2_000, () => descriptors() <= before.descriptors)
      ensure(closed, `this process had ${before.descriptors} descriptors before and ${descriptors()} after`)
    },
  },
]
