// What comes from another realm (a vm context, as Jest and Vitest's vmThreads make them) is an instance of no class of
// ours: even the errors of node:fs are not. What a value is gets asked by its form.
import { types } from 'node:util'
import { z } from 'zod'

/** True for bytes of any realm, a Buffer among them. */
export const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value)

/** Schema of bytes. */
export const bytesSchema: z.ZodType<Uint8Array> = z.custom<Uint8Array>(isBytes, 'must be a Uint8Array')

/** Schema of a program's standard input. */
export const inputSchema: z.ZodType<string | Uint8Array> = z.union([z.string(), bytesSchema], {
  error: ({ input }) =>
    isStream(input)
      ? 'must be text or bytes; to pass on a stream, start the program with spawn() and write() what arrives'
      : 'must be text or bytes',
})

const isStream = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || 'getReader' in value)

/** True for whatever can be asked and listened to as an AbortSignal can. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false
  const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  )
}

/** Schema of the `signal` that every wait takes. */
export const abortSignalSchema: z.ZodType<AbortSignal> = z.custom<AbortSignal>(
  isAbortSignal,
  'must be an AbortSignal',
)

/** True for an error of any realm, a DOMException among them. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || types.isNativeError(value) || hasTag(value, 'DOMException')

/** What was thrown, as words: its message, or itself where it is no error. */
export const inWords = (thrown: unknown): string => (isError(thrown) ? thrown.message : String(thrown))

/** What was thrown, as an error. */
export const toError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(String(thrown)))

/** The system's name for what went wrong, such as `ENOENT`. */
export const errorCode = (thrown: unknown): string | undefined =>
  isError(thrown) && 'code' in thrown ? String(thrown.code) : undefined

const hasTag = (value: unknown, tag: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${tag}]`
