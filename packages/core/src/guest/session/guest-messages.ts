// What the control process may say, checked before any of it is believed. Cells can forge what is said of themselves, so
// every text and list has a bound.
import { z } from 'zod'
import type { CellError, MimeBundle } from './session.js'

/** Frames that the host sends. */
export const TO_GUEST = { run: 1, interrupt: 2, replace: 3, reply: 4 } as const

/** Frames that the control process sends. */
export const FROM_GUEST = {
  hello: 16,
  ready: 17,
  stdout: 18,
  stderr: 19,
  display: 20,
  done: 21,
  died: 22,
  call: 23,
} as const

const MIB = 1024 * 1024
const shortText = z.string().max(4096)
const longText = z.string().max(MIB)

/** `hello`: who is there. */
export const helloSchema = z.strictObject({
  protocol: z.literal(1),
  language: z.enum(['python', 'javascript']),
  version: shortText,
  executable: shortText,
})

/** `display`, and the value of a cell. */
export const bundleSchema: z.ZodType<MimeBundle> = z
  .strictObject({
    data: boundedRecord(z.string().max(16 * MIB), 32),
    metadata: boundedRecord(z.unknown(), 64).optional(),
    omitted: boundedRecord(z.number().nonnegative(), 32).optional(),
  })
  .refine(({ data }) => Object.hasOwn(data, 'text/plain'), 'must have a text')

const frameSchema = z.strictObject({
  path: shortText,
  line: z.int().nonnegative(),
  function: shortText,
  source: shortText,
  locals: boundedRecord(shortText, 64).optional(),
})

const causeSchema: z.ZodType<Omit<CellError, 'traceback'>> = z.strictObject({
  name: shortText,
  message: longText,
  frames: z.array(frameSchema).max(64),
  get cause(): z.ZodType<Omit<CellError, 'traceback'> | undefined> {
    return causeSchema.optional()
  },
})

const errorSchema = z.strictObject({
  name: shortText,
  message: longText,
  frames: z.array(frameSchema).max(64),
  traceback: longText,
  cause: causeSchema.optional(),
  outOfMemory: z.boolean().optional(),
})

/** `done`: a cell has come to its end. */
export const doneSchema = z.strictObject({
  ok: z.boolean(),
  exit: z.int().min(0).max(255).optional(),
  value: bundleSchema.optional(),
  error: errorSchema.optional(),
  names: z.array(z.string().max(256)).max(256),
})

/** What is told of a cell that has come to its end. */
export type CellReport = z.infer<typeof doneSchema>

/** `died`: the worker has ended. */
export const diedSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exit'), code: z.int().min(0).max(255) }),
  z.strictObject({
    kind: z.literal('signal'),
    signal: z.string().max(32),
    /** Processor time that the worker used, where that is known. */
    cpuMs: z.number().nonnegative().optional(),
    /** Memory that it was last seen with in this cell, where nobody counts what the kernel ends. */
    residentBytes: z.number().nonnegative().optional(),
    /** The language itself said that it ended for want of memory, or the kernel counted that. */
    outOfMemory: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('spoilt') }),
])

/** How a worker ended. */
export type WorkerEnd = z.infer<typeof diedSchema>

/** `call`: a cell asks the application. */
export const callSchema = z.strictObject({ name: z.string().max(256), args: z.unknown() })

/**
 * Reads the JSON of a frame.
 *
 * @returns undefined when it is not what it should be
 */
export function readMessage<T>(schema: z.ZodType<T>, payload: Uint8Array): T | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(payload).toString('utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

function boundedRecord<T>(value: z.ZodType<T>, most: number): z.ZodType<Record<string, T>> {
  return z
    .record(z.string().max(256), value)
    .refine((record) => Object.keys(record).length <= most, `must have at most ${most} entries`)
}
