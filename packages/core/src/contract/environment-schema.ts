// Variables for programs, as every call checks them that takes `env`.
import { z } from 'zod'

/**
 * Schema of text that the system can pass on, as an argument or in a variable: UTF-8 without a NUL byte. U+DC80 to U+DCFF
 * stand for bytes of names that are no UTF-8.
 */
export const passableTextSchema: z.ZodType<string> = z
  .string()
  .refine((text) => !text.includes('\0'), 'must not hold a NUL byte')
  .refine(
    (text) => !/(?![\uDC80-\uDCFF])\p{Surrogate}/u.test(text),
    'must not hold half a character (a lone surrogate)',
  )

/** Shells drop variables with other names without a word, so they are refused with one. */
const nameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be named with letters, digits and underscores')

const NAMES_AND_TEXTS = "must be an object of names and their text, such as { LANG: 'C' }"

/** Schema of `env`: a plain object or `process.env`; what is undefined in it is left out, as `spawn` of Node does. */
export const environmentSchema: z.ZodType<Record<string, string>> = z.preprocess(
  definedOnly,
  z.record(nameSchema, passableTextSchema, {
    error: ({ code }) => (code === 'invalid_type' ? NAMES_AND_TEXTS : undefined),
  }),
)

/** `process.env` is no plain object, and cannot be frozen. */
function definedOnly(given: unknown): unknown {
  if (Object.prototype.toString.call(given) !== '[object Object]') return given
  return Object.fromEntries(Object.entries(Object(given)).filter(([, value]) => value !== undefined))
}
