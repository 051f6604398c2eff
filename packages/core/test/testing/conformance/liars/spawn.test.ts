// Liars about processes with open pipes.
import type { Outcome } from '../../../../src/contract/execution.js'
import type { ProcessOutput, SandboxProcess } from '../../../../src/contract/sandbox.js'
import { catchLiars, type Lie } from '../../../helpers/liars.js'

const missing = (): never => {
  throw new Error('The good sandbox has no spawn().')
}

/** A lie about every process. */
const aboutProcesses =
  (change: (child: SandboxProcess) => Partial<SandboxProcess>): Lie =>
  (sandbox) => ({
    async spawn(command, options) {
      const child = (await sandbox.spawn?.(command, options)) ?? missing()
      const { output, outcome } = child
      const plain: SandboxProcess = {
        write: (data) => child.write(data),
        end: () => child.end(),
        output,
        outcome,
        kill: () => child.kill(),
      }
      return { ...plain, ...change(child) }
    },
  })

async function* changed(
  output: AsyncIterable<ProcessOutput>,
  change: (chunk: ProcessOutput) => ProcessOutput,
): AsyncGenerator<ProcessOutput> {
  for await (const chunk of output) yield change(chunk)
}

async function* whenOver(child: SandboxProcess): AsyncGenerator<ProcessOutput> {
  const chunks: ProcessOutput[] = []
  for await (const chunk of child.output) chunks.push(chunk)
  yield* chunks
}

/** Reads ahead without bounds. */
function gathered({ output }: SandboxProcess): AsyncIterable<ProcessOutput> {
  const chunks: ProcessOutput[] = []
  const done = (async () => {
    for await (const chunk of output) chunks.push({ ...chunk, data: Uint8Array.from(chunk.data) })
  })()
  return (async function* () {
    await done
    yield* chunks
  })()
}

const UNREAD = 'lets a process wait while nobody reads its output, and holds little of it'
const EARLY = 'starts no process for a signal that is aborted already, or while it is started'
const ENDS = 'ends at once when it is killed, when its signal is aborted, and at its wall limit'

// First and alone: memory that others have let go would hide what it gathers.
catchLiars('spawn', [
  {
    who: 'gathers output that nobody reads',
    caughtBy: UNREAD,
    alone: true,
    lie: aboutProcesses((child) => ({ output: gathered(child) })),
  },
])

catchLiars(
  'spawn',
  [
    {
      who: 'gives output only when the process is over',
      caughtBy: 'answers while it still takes input',
      alone: true,
      lie: aboutProcesses((child) => ({ output: whenOver(child) })),
    },
    {
      who: 'takes output for text',
      caughtBy: 'passes bytes through as they are, in both directions',
      lie: aboutProcesses(({ output }) => ({
        output: changed(output, (chunk) => ({
          ...chunk,
          data: Buffer.from(Buffer.from(chunk.data).toString()),
        })),
      })),
    },
    {
      who: 'gives up its input when it is written to after end()',
      caughtBy: 'refuses or drops what is written after end(), and goes on with what was written before',
      lie: aboutProcesses((child) => {
        let ended = false
        return {
          async write(data) {
            if (ended) child.kill()
            else await child.write(data)
          },
          end() {
            ended = true
            child.end()
          },
        }
      }),
    },
    {
      who: 'gives both streams as one',
      caughtBy: 'tells which stream was written to, and the exit code',
      lie: aboutProcesses(({ output }) => ({
        output: changed(output, (chunk) => ({ ...chunk, stream: 'stdout' })),
      })),
    },
    {
      who: 'loses the exit code of a process',
      caughtBy: 'tells which stream was written to, and the exit code',
      lie: aboutProcesses(({ outcome }) => ({
        outcome: outcome.then((end): Outcome => (end.kind === 'exit' ? { kind: 'exit', code: 0 } : end)),
      })),
    },
    {
      who: 'cannot kill',
      caughtBy: ENDS,
      alone: true,
      lie: aboutProcesses(() => ({ kill: () => undefined })),
    },
    {
      who: 'runs a process whose signal is aborted already, and says that it did not',
      caughtBy: EARLY,
      lie: (sandbox, options) => ({
        async spawn(command, { signal, ...rest } = {}) {
          if (signal?.aborted !== true)
            return (await sandbox.spawn?.(command, { ...rest, ...(signal && { signal }) })) ?? missing()
          const lie = aboutProcesses(({ outcome }) => ({
            outcome: outcome.then((): Outcome => ({ kind: 'aborted' })),
          }))
          return (await lie(sandbox, options).spawn?.(command, rest)) ?? missing()
        },
      }),
    },
    {
      who: 'gives late readers only the latest',
      caughtBy: 'gives all output to who reads late',
      alone: true,
      lie: aboutProcesses(({ output }) => ({
        output: (async function* () {
          let first = true
          for await (const chunk of output) {
            if (!first) yield chunk
            first = false
          }
        })(),
      })),
    },
    {
      who: 'lets processes live on when it is closed',
      caughtBy: 'ends processes with open pipes when the sandbox is closed',
      lie: aboutProcesses(({ outcome }) => ({
        outcome: outcome.then((end): Outcome => (end.kind === 'aborted' ? { kind: 'exit', code: 0 } : end)),
      })),
      also: [ENDS, EARLY],
    },
  ],
  { slow: [UNREAD], atOnce: true },
)
