// What the runner says in JSON. It speaks for a machine that runs hostile code, so nothing of it is believed unread.
import { z } from 'zod'
import type { PreparedRunner, RunnerEnd, RunnerHello, RunnerRequest } from '../../contract/fork-runner.js'
import { RunnerFault } from './frame-stream.js'

const text = z.string()
const count = z.int().nonnegative()
const milliseconds = z.number().nonnegative()
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** First frame. */
export const helloSchema: z.ZodType<RunnerHello> = z.strictObject({
  protocol: z.literal(1),
  python: z.strictObject({ version: text, executable: text, prefix: text, basePrefix: text }),
  confinement: z.enum(['namespaces', 'landlock', 'plain']),
  syscallFilter: z.boolean(),
  landlockAbi: count,
})

/** Answer to a preparation. */
export const readySchema: z.ZodType<PreparedRunner> = z.strictObject({
  loaded: z.array(text).readonly(),
  failed: z.record(text, text).readonly(),
})

/** End of an execution; the content of its files came before. Whether a lost one had started is for the host to say. */
export type ExitMessage = Omit<RunnerEnd, 'files'>

/** See {@link ExitMessage}. */
export const exitSchema: z.ZodType<ExitMessage> = z.strictObject({
  how: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('exit'), code: count.max(255) }),
    z.strictObject({ kind: z.literal('signal'), signal: text }),
    z.strictObject({ kind: z.literal('not-started'), reason: text, code: text.optional() }),
    z.strictObject({ kind: z.literal('lost'), cause: text }),
  ]),
  durationMs: milliseconds,
  cpuMs: milliseconds.optional(),
  peakMemoryBytes: count.optional(),
  leftover: z.boolean(),
  outOfMemory: z.boolean().optional(),
  processesRefused: z.boolean().optional(),
  diskFull: z.boolean().optional(),
  deleted: z.array(text).readonly().optional(),
  withheld: z.array(text).readonly().optional(),
  links: z.array(text).readonly().optional(),
  special: z.array(text).readonly().optional(),
  unseen: z
    .array(z.strictObject({ path: text, reason: z.enum(['closed', 'too-deep', 'too-many', 'aborted']) }))
    .readonly()
    .optional(),
}) as z.ZodType<ExitMessage>

/** Bytes of standard input that were handed over since the last such frame. */
export const stdinTakenSchema: z.ZodType<{ bytes: number }> = z.strictObject({ bytes: count })

/** Head of a piece of a file. */
export interface FileHead {
  readonly path: string
  readonly sizeBytes: number
  readonly offset: number
}

const fileHeadSchema: z.ZodType<FileHead> = z.strictObject({ path: text, sizeBytes: count, offset: count })

/** @throws RunnerFault when `bytes` are not JSON of that shape */
export function parseMessage<T>(schema: z.ZodType<T>, bytes: Uint8Array, name: string): T {
  try {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    return schema.parse(JSON.parse(json))
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error).split('\n')[0] : 'it is no JSON'
    throw new RunnerFault(`it sent a ${name} frame that cannot be read: ${problem}`)
  }
}

/** For frames that say nothing but that they are there. @throws RunnerFault for any other payload than `{}` */
export function requireEmpty(bytes: Uint8Array, name: string): void {
  const isEmpty = bytes.length === 2 && bytes[0] === OPENING_BRACE && bytes[1] === CLOSING_BRACE
  if (!isEmpty) throw new RunnerFault(`it sent a ${name} frame that is not empty`)
}

/** Splits the payload of a FILE frame. @throws RunnerFault */
export function parseFilePiece(payload: Uint8Array): { head: FileHead; data: Uint8Array } {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const headBytes = payload.length < 4 ? -1 : view.getUint32(0, true)
  if (headBytes < 0 || headBytes > payload.length - 4)
    throw new RunnerFault('it sent a FILE frame that ends within its head')
  const head = parseMessage(fileHeadSchema, payload.subarray(4, 4 + headBytes), 'FILE')
  return { head, data: payload.subarray(4 + headBytes) }
}

/** Payload of an EXECUTE frame: length of the head, the head, the bytes of the files, then those of the input. */
export function executePayload(request: RunnerRequest): Uint8Array[] {
  const { files = {}, stdin, ...rest } = request
  const contents = Object.entries(files)
  const head = Buffer.from(
    JSON.stringify({
      ...rest,
      files: contents.map(([path, content]) => ({ path, sizeBytes: content.length })),
      stdin: typeof stdin === 'string' ? stdin : { bytes: stdin.length },
    }),
  )
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const bytes = contents.map(([, content]) => content)
  return [length, head, ...bytes, ...(typeof stdin === 'string' ? [] : [stdin])]
}
