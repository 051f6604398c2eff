// Promises about processes with open pipes.
import type { ProcessOutput, Sandbox, SandboxProcess, SpawnOptions } from '../../../contract/sandbox.js'
import { has } from '../claims.js'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.js'
import { ensure, equal, within } from '../expectations.js'
import { eventually, pause, python } from '../probe.js'

const group = 'spawn'
const requires = has('spawn')
const SETTLE_MS = 12_000
const BEFORE_END_BYTES = 300_000
const UNREAD_BYTES = 256 * 1024 * 1024
const MOST_GROWTH_BYTES = 64 * 1024 * 1024

async function start(
  sandbox: Sandbox,
  command: Parameters<Sandbox['exec']>[0],
  options: SpawnOptions = {},
): Promise<SandboxProcess> {
  const child = await sandbox.spawn?.(command, { limits: { wallMs: 25_000 }, ...options })
  ensure(child !== undefined, 'the sandbox has no spawn()')
  return child
}

/** All that it wrote, stream by stream. */
async function allOutput({
  output,
}: Pick<SandboxProcess, 'output'>): Promise<Record<ProcessOutput['stream'], Buffer>> {
  const pieces = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  for await (const { stream, data } of output) pieces[stream].push(data)
  return { stdout: Buffer.concat(pieces.stdout), stderr: Buffer.concat(pieces.stderr) }
}

const endOf = (child: SandboxProcess) => within(SETTLE_MS, 'a process', child.outcome)

const cat = async (context: ConformanceContext): Promise<SandboxProcess> =>
  start(await context.open(), ['cat'])

export const spawnCases: readonly ConformanceCase[] = [
  {
    name: 'answers while it still takes input',
    group,
    requires,
    async check(context) {
      const child = await cat(context)
      const output = child.output[Symbol.asyncIterator]()
      for (const line of ['one\n', 'two ✓\n']) {
        await child.write(line)
        let text = ''
        while (text.length < line.length) {
          const next = await within(SETTLE_MS, 'the answer', output.next())
          ensure(next.done !== true, 'the output ended early')
          text += Buffer.from(next.value.data).toString()
        }
        equal(text, line, 'the answer to a line')
      }
      child.end()
      equal(
        (await within(SETTLE_MS, 'the end of the output', output.next())).done,
        true,
        'whether the output ends with the input',
      )
      equal(await endOf(child), { kind: 'exit', code: 0 }, 'the outcome')
    },
  },
  {
    name: 'passes bytes through as they are, in both directions',
    group,
    requires,
    async check(context) {
      const child = await cat(context)
      const sent = Buffer.from(Uint8Array.from({ length: 2_000_000 }, (_, index) => (index * 17) & 255))
      const received = allOutput(child)
      received.catch(() => undefined)
      await within(SETTLE_MS, 'write()', child.write(sent))
      child.end()
      const { stdout, stderr } = await within(SETTLE_MS, 'the output', received)
      ensure(stdout.equals(sent), `${stdout.length} bytes came back of ${sent.length}, or other ones`)
      equal(stderr.length, 0, 'bytes on standard error')
    },
  },
  {
    name: 'refuses or drops what is written after end(), and goes on with what was written before',
    group,
    requires,
    async check(context) {
      const child = await cat(context)
      const received = allOutput(child)
      received.catch(() => undefined)
      // More than a pipe holds, so that some of it still has to be passed on.
      const before = child.write('x'.repeat(BEFORE_END_BYTES))
      child.end()
      const late = child.write('late').catch(() => undefined)
      await within(SETTLE_MS, 'write() before end()', before)
      await within(SETTLE_MS, 'write() after end()', late)
      const { stdout } = await within(SETTLE_MS, 'the output', received)
      ensure(!stdout.includes('late'), 'what was written after end() came back')
      equal(stdout.length, BEFORE_END_BYTES, 'the bytes that came back')
      equal(await endOf(child), { kind: 'exit', code: 0 }, 'the outcome')
    },
  },
  {
    name: 'tells which stream was written to, and the exit code',
    group,
    requires,
    async check(context) {
      const child = await start(await context.open(), 'printf out; printf err >&2; exit 5')
      const { stdout, stderr } = await within(SETTLE_MS, 'the output', allOutput(child))
      equal([stdout.toString(), stderr.toString()], ['out', 'err'], 'the two streams')
      equal(await endOf(child), { kind: 'exit', code: 5 }, 'the outcome')
    },
  },
  {
    name: 'ends at once when it is killed, when its signal is aborted, and at its wall limit',
    group,
    requires,
    async check(context) {
      const sandbox = await context.open()
      const controller = new AbortController()
      const [killed, aborted, late] = await Promise.all([
        start(sandbox, 'sleep 20'),
        start(sandbox, 'sleep 20', { signal: controller.signal }),
        start(sandbox, 'sleep 20', { limits: { wallMs: 500 } }),
      ])
      killed.kill()
      controller.abort()
      equal(await endOf(killed), { kind: 'aborted' }, 'the outcome of a process that was killed')
      equal(await endOf(aborted), { kind: 'aborted' }, 'the outcome of a process whose signal was aborted')
      equal(
        await endOf(late),
        { kind: 'timeout', clock: 'wall', limitMs: 500 },
        'the outcome at the wall limit',
      )
    },
  },
  {
    name: 'starts no process for a signal that is aborted already, or while it is started',
    group,
    requires,
    async check(context) {
      const sandbox = await context.open()
      const controller = new AbortController()
      const early = start(sandbox, 'touch early', { signal: AbortSignal.abort() })
      const meanwhile = start(sandbox, 'sleep 20', { signal: controller.signal })
      controller.abort()
      for (const child of await within(SETTLE_MS, 'spawn()', Promise.all([early, meanwhile]))) {
        equal(await endOf(child), { kind: 'aborted' }, 'the outcome of a process whose signal was aborted')
        await within(SETTLE_MS, 'the output', allOutput(child))
      }
      equal(await sandbox.files.list(), [], 'the files of the workspace')
    },
  },
  {
    name: 'lets a process wait while nobody reads its output, and holds little of it',
    group,
    needs: 'python',
    requires,
    async check(context) {
      const code = `import os\nfor _ in range(${UNREAD_BYTES >> 20}): os.write(1, b"x" * (1 << 20))`
      const child = await start(await context.open(), python(context, code))
      const before = process.memoryUsage.rss()
      const gathers = await eventually(1_500, () => process.memoryUsage.rss() - before > MOST_GROWTH_BYTES)
      child.kill()
      await endOf(child)
      ensure(!gathers, `more than ${MOST_GROWTH_BYTES} bytes of output were gathered that nobody reads`)
    },
  },
  {
    name: 'gives all output to who reads late',
    group,
    needs: 'python',
    requires,
    async check(context) {
      const child = await start(
        await context.open(),
        python(context, 'import os; print("x" * 8_000_000, end="")'),
      )
      await pause(500)
      const { stdout } = await within(SETTLE_MS, 'the output', allOutput(child))
      equal(stdout.length, 8_000_000, 'the bytes that came')
      equal(await endOf(child), { kind: 'exit', code: 0 }, 'the outcome')
    },
  },
  {
    name: 'ends processes with open pipes when the sandbox is closed',
    group,
    requires,
    async check(context) {
      const sandbox = await context.open()
      const child = await start(sandbox, 'echo ready; sleep 20')
      const output = allOutput(child)
      output.catch(() => undefined)
      await within(SETTLE_MS, 'close()', sandbox.close())
      equal(await endOf(child), { kind: 'aborted' }, 'the outcome')
      await within(SETTLE_MS, 'the output', output)
    },
  },
]
