// A failure in a few lines, so that a test can say all of it at once.
import type { CapturedText, ExecutionResult } from '../../src/contract/execution.js'
import type { Failure } from '../../src/contract/verify.js'
import { diagnose } from '../../src/language/diagnose.js'
import { NOTHING_ENFORCED } from '../../src/testing/nothing-enforced.js'
import { type FailureProgram, failurePrograms, type RecordedEnd, recordedEnds } from './failure-programs.js'

/**
 * `kind path:line:column message`, then the calls and what came and should have come, then the cause, indented.
 */
export function summaryOf(failure: Failure): string {
  const { kind, location, message, frames = [], expected, actual, cause, foldedFrames = 0 } = failure
  const { path, line, column } = location ?? {}
  const where = path === undefined ? '' : ` ${path}:${line}${column === undefined ? '' : `:${column}`}`
  const lines = [`${kind}${where} ${message}`]
  if (frames.length > 0)
    lines.push(`  calls ${frames.map((one) => `${one.function ?? '-'}:${one.line}`).join(' > ')}`)
  if (foldedFrames > 0) lines.push(`  folded ${foldedFrames}`)
  if (expected !== undefined) lines.push(`  expected ${expected}`)
  if (actual !== undefined) lines.push(`  actual ${actual}`)
  if (cause !== undefined)
    lines.push(
      ...summaryOf(cause)
        .split('\n')
        .map((one) => `  | ${one}`),
    )
  return lines.join('\n')
}

const captured = (text: string): CapturedText => ({
  text,
  bytes: Buffer.byteLength(text),
  truncated: false,
  omittedBytes: 0,
})

/** The result that a recorded end stands for. */
export function toResult({ stdout, stderr, ...end }: RecordedEnd): ExecutionResult {
  return {
    ...end,
    ok: false,
    stdout: captured(stdout),
    stderr: captured(stderr),
    durationMs: 1,
    usage: {},
    changes: [],
    guarantees: NOTHING_ENFORCED,
  }
}

/** What is read out of the recorded end of each program of a language. */
export function recordedFailures(
  language: string,
): readonly { readonly program: FailureProgram; readonly failures: readonly Failure[] }[] {
  const ends = recordedEnds(language)
  return failurePrograms(language).map((program) => {
    const end = ends[program.name]
    if (end === undefined) throw new Error(`record.ts has not run since "${program.name}" was added.`)
    return { program, failures: diagnose(toResult(end), { language, candidate: program }) }
  })
}
