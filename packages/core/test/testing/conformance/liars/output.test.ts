// Liars about what a program prints.
import type { CapturedText } from '../../../../src/contract/execution.js'
import type { OutputChunk } from '../../../../src/contract/sandbox.js'
import { aboutOptions, aboutResults, catchLiars, type Lie } from '../../../helpers/liars.js'

/** What is told live is changed on its way. */
const aboutChunks = (change: (chunk: OutputChunk, tell: (chunk: OutputChunk) => void) => void): Lie =>
  aboutOptions((options) => {
    const tell = options.onOutput
    return tell === undefined ? options : { ...options, onOutput: (chunk) => change(chunk, tell) }
  })

const aboutStdout = (change: (stdout: CapturedText) => Partial<CapturedText>): Lie =>
  aboutResults((result) => ({ ...result, stdout: { ...result.stdout, ...change(result.stdout) } }))

const FLOOD = 'keeps head and tail of a flood on standard output, counts every byte and does not grow'

catchLiars(
  'output',
  [
    {
      who: 'mixes the two streams',
      caughtBy: 'keeps standard output and standard error apart',
      alone: true,
      lie: aboutResults((result) => ({
        ...result,
        stdout: { ...result.stdout, text: result.stdout.text + result.stderr.text },
      })),
    },
    {
      who: 'decodes each piece by itself',
      caughtBy: 'keeps characters whole that arrive in pieces',
      also: ['takes what Python prints for UTF-8, without being told'],
      lie: aboutStdout(({ text }) => ({ text: text.replace(/[\u{80}-\u{fff0}]/gu, '\ufffd\ufffd') })),
    },
    {
      who: 'counts bytes after it has decoded them',
      caughtBy: 'replaces bytes that are no text, and counts them as written',
      alone: true,
      lie: aboutStdout(({ text }) => ({ bytes: Buffer.byteLength(text) })),
    },
    {
      who: 'tidies up control characters',
      caughtBy: 'keeps bytes that look like anything: NUL, escapes, carriage returns',
      lie: aboutStdout(({ text }) => ({ text: text.replaceAll('\r', '') })),
    },
    {
      who: 'tells output only when all is over',
      caughtBy: 'tells output while the program still runs',
      lie: (sandbox) => ({
        async exec(command, options = {}) {
          const told: OutputChunk[] = []
          const result = await sandbox.exec(command, { ...options, onOutput: (chunk) => told.push(chunk) })
          for (const chunk of told)
            try {
              options.onOutput?.(chunk)
            } catch {
              // As in a good sandbox.
            }
          return result
        },
      }),
    },
    {
      who: 'tells pieces in another order',
      caughtBy: 'tells output in the order in which it was written',
      alone: true,
      lie: (sandbox) => ({
        async exec(command, options = {}) {
          let held: OutputChunk | undefined
          const result = await sandbox.exec(command, {
            ...options,
            onOutput(chunk) {
              if (held === undefined) held = chunk
              else options.onOutput?.(chunk)
            },
          })
          if (held !== undefined) options.onOutput?.(held)
          return result
        },
      }),
    },
    {
      who: 'tells all output live, whatever the limit',
      caughtBy: 'tells no more output live than the output limit',
      alone: true,
      lie: aboutChunks((chunk, tell) => {
        tell(chunk)
        tell({ ...chunk, text: 'x'.repeat(50_000) })
      }),
    },
    {
      who: 'breaks when a listener throws',
      caughtBy: 'goes on when a listener of output throws',
      lie: (sandbox) => ({
        async exec(command, options = {}) {
          let thrown: unknown
          const result = await sandbox.exec(command, {
            ...options,
            onOutput(chunk) {
              try {
                options.onOutput?.(chunk)
              } catch (error) {
                thrown = error
              }
            },
          })
          if (thrown !== undefined) throw thrown
          return result
        },
      }),
    },
    {
      who: 'loses what was printed before a hard exit',
      caughtBy: 'keeps output that was printed before a hard exit',
      lie: aboutResults((result) =>
        result.ok ? result : { ...result, stdout: { ...result.stdout, text: '' } },
      ),
    },
    {
      who: 'keeps only the head of a flood',
      caughtBy: FLOOD,
      alone: true,
      lie: aboutStdout(({ text, truncated }) =>
        truncated ? { text: text.slice(0, text.length - 100) } : {},
      ),
    },
    {
      who: 'keeps only the tail of a flood',
      caughtBy: FLOOD,
      alone: true,
      lie: aboutStdout(({ text, truncated }) => (truncated ? { text: text.slice(100) } : {})),
    },
    {
      who: 'counts only the bytes that it kept',
      caughtBy: FLOOD,
      alone: true,
      lie: aboutStdout(({ text, truncated }) => (truncated ? { bytes: Buffer.byteLength(text) } : {})),
    },
    {
      who: 'holds a flood in memory',
      caughtBy: FLOOD,
      alone: true,
      lie: (sandbox) => {
        const held: Buffer[] = []
        return {
          async exec(command, options) {
            const result = await sandbox.exec(command, options)
            if (result.stdout.truncated) held.push(Buffer.alloc(100_000_000, 1))
            return result
          },
        }
      },
    },
  ],
  {
    slow: [
      FLOOD,
      'keeps head and tail of a flood on standard error, counts every byte and does not grow',
      'tells output in the order in which it was written',
    ],
  },
)
