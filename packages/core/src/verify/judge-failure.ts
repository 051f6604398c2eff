// A failure as the judge tells it → a Failure that points into the candidate's files.
import type { Failure } from '../contract/verify.js'
import { excerptOf } from '../language/excerpt.js'
import type { ReportedFailure } from './judge-report.js'
import { newFailure } from './new-failure.js'

/** What it happened to. */
export interface JudgedProgram {
  /** The candidate's files. */
  readonly files: Readonly<Record<string, string>>
  /** Takes paths of the sandbox out of a text. */
  hide(text: string): string
}

/** Turns one reported failure of `test` into a Failure. */
export function toFailure(reported: ReportedFailure, program: JudgedProgram, test?: string): Failure {
  const { frames, syntax, cause, folded, locals } = reported
  const place = syntax ?? frames.at(-1)
  const location = place && {
    path: place[0],
    line: place[1],
    ...(syntax !== undefined && syntax[2] > 0 && { column: syntax[2] }),
  }
  const source = location && program.files[location.path]
  return newFailure({
    kind: reported.kind,
    message: program.hide(reported.message),
    location,
    frames:
      frames.length === 0
        ? undefined
        : frames.map(([path, line, name, text]) => ({ path, line, function: name, source: text })),
    foldedFrames: folded > 0 ? folded : undefined,
    excerpt: location && source !== undefined ? excerptOf(source, location.line) : undefined,
    input: reported.input ?? undefined,
    expected: reported.expected ?? undefined,
    actual: reported.actual ?? undefined,
    locals: Object.keys(locals).length > 0 ? locals : undefined,
    cause: cause && toFailure(cause, program),
    test,
  })
}
