// The errors of javac: a place, a message, the line, a mark, and what is known of the symbol.
import type { FailureKind } from '../contract/verify.js'
import type { ReportedError, ReportReader } from './reported.js'

const DIAGNOSTIC = /^(?:(.+\.java):(\d+): )?(error|warning): (.*)$/u
const MARK = /^(\s*)\^\s*$/u
const COUNT = /^\d+ (?:error|warning)s?$/u
const SYNTAX =
  /expected$|^illegal (?:start|character|line end)|^unclosed\b|^reached end of file|^not a statement$|^malformed\b|^orphaned\b|without '/u

/** Reads errors; warnings are left out. */
export const readJavacErrors: ReportReader = (text) => {
  const errors: ReportedError[] = []
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (DIAGNOSTIC.test(line) || COUNT.test(line) ? [index] : []))
  for (const [index, at] of starts.entries()) {
    const [, file, row, severity, said = ''] = DIAGNOSTIC.exec(lines[at] ?? '') ?? []
    if (severity !== 'error') continue
    const below = lines.slice(at + 1, starts[index + 1])
    const mark = below.findIndex((line) => MARK.test(line))
    // Before the mark stands the line itself; lines of the message may stand before that.
    const details = mark === -1 ? below : [...below.slice(0, Math.max(0, mark - 1)), ...below.slice(mark + 1)]
    const column = mark === -1 ? undefined : (MARK.exec(below[mark] ?? '')?.[1]?.length ?? 0) + 1
    errors.push({
      kind: kindOf(said),
      message: [said, ...details].join('\n').trimEnd(),
      ...(file !== undefined && {
        place: { file, line: Number(row), ...(column !== undefined && { column }) },
      }),
    })
  }
  return { errors, explains: true }
}

function kindOf(said: string): FailureKind {
  if (/^package .+ does not exist$/u.test(said)) return 'import'
  return SYNTAX.test(said) ? 'syntax' : 'type'
}
