// The errors of `go build`.
import type { FailureKind } from '../contract/verify.js'
import { matchLine, type ReportedError, type ReportReader } from './reported.js'

const DIAGNOSTIC = /^(?:vet: )?(?:\.\/)?([^\s:][^:\n]*\.go):(\d+)(?::(\d+))?: (.+)$/u
const GENERAL =
  /^(?:go: .+|package .+|.*function main is undeclared in the main package|.*\bis not in std\b.*|ld: .+|\S+\.\S+: (?:undefined|missing function body).*)$/u
const IMPORT =
  /^(?:no required module provides|cannot find (?:package|module)|package \S+ is not in std|could not import)|: module lookup disabled|^go: (?:finding|downloading|module)/u
const MOST_LINES = 20

/** Reads errors with their further lines, which are indented. */
export const readGoBuildErrors: ReportReader = (text) => {
  const errors: { error: ReportedError; more: string[] }[] = []
  for (const line of text.split('\n')) {
    const [, file, row, column, said = ''] = matchLine(DIAGNOSTIC, line) ?? []
    if (file !== undefined) {
      const place = { file, line: Number(row), ...(column !== undefined && { column: Number(column) }) }
      errors.push({ error: { kind: kindOf(said), message: said, place }, more: [] })
    } else if (matchLine(GENERAL, line) !== null)
      errors.push({ error: { kind: kindOf(line), message: line }, more: [] })
    else if (/^\t/u.test(line)) {
      const last = errors.at(-1)
      if (last !== undefined && last.more.length < MOST_LINES) last.more.push(line)
    }
  }
  return {
    errors: errors.map(({ error, more }) => ({ ...error, message: [error.message, ...more].join('\n') })),
    explains: true,
  }
}

function kindOf(said: string): FailureKind {
  if (/function main is undeclared in the main package/u.test(said)) return 'missing-entry'
  if (IMPORT.test(said)) return 'import'
  return /^(?:syntax error|expected |newline in|.*literal not terminated|invalid character)/u.test(said)
    ? 'syntax'
    : 'type'
}
