// What the system threw. In a vm realm (Jest, Vitest's vmThreads) errors of node:fs are no instances of Error there.
import { types } from 'node:util'

const isError = (thrown: unknown): thrown is Error => thrown instanceof Error || types.isNativeError(thrown)

/** The system's name for what went wrong, such as `ENOENT`. */
export const errorCode = (thrown: unknown): string | undefined =>
  isError(thrown) && 'code' in thrown ? String(thrown.code) : undefined

/** What was thrown, as words. */
export const inWords = (thrown: unknown): string => (isError(thrown) ? thrown.message : String(thrown))
