// Why tests do not run here. Every skip that a machine decides goes through this file, so that none is silent: it stands in the
// report as a skipped test whose name is the reason, and tools/skip-report.ts counts the tests it stands for.
import { test } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The name of this skipped test is why others of its file do not run. */
    skipReason?: SkipKind
  }
}

/** Whether something could be installed or allowed, or the machine would have to be another. */
export type SkipKind = 'missing' | 'elsewhere'

const told = new Set<string>()

/**
 * Whether `present`; if not, tells what is missing and how to provide it.
 *
 * @param sentence - what cannot run and what to install or allow, said when `present` is false
 * @throws Error instead of skipping when MENDLOOP_REQUIRE_ALL is 1, as in `.ci/run`
 */
export function isPresent(present: boolean, sentence: string, cause?: unknown): boolean {
  if (present) return true
  if (process.env['MENDLOOP_REQUIRE_ALL'] === '1') throw new Error(sentence, { cause })
  return tell('missing', sentence)
}

/** Whether this machine or user is of the kind that a test is about; nothing could be installed to change it, so it is no error. */
export function isOfKind(ofKind: boolean, sentence: string): boolean {
  return ofKind || tell('elsewhere', sentence)
}

/** Puts the reason into the report, once for a file. */
function tell(skipReason: SkipKind, sentence: string): false {
  if (!told.has(sentence)) test(sentence, { skip: true, meta: { skipReason } }, () => undefined)
  told.add(sentence)
  return false
}
