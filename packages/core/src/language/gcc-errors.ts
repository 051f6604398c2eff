// The errors of gcc and g++, and of the linker they call.
import type { FailureKind } from '../contract/verify.js'
import { matchLine, type ReportedError, type ReportedPlace, type ReportReader } from './reported.js'

const DIAGNOSTIC = /^(?:([^\s:][^:\n]*):(?:(\d+):)?(?:(\d+):)? )?(fatal error|error|warning|note): (.*)$/u
const REQUIRED = /^([^\s:][^:\n]*):(\d+):(?:(\d+):)?\s+(?:required|recursively required) (?:from|by)\b/u
const GUTTER = /^ {0,8}\d* *\| ?(.*)$/u
const LINKER =
  /^(?:\S*\bld(?:\.\w+)?: )?(?:(.+?):(\d+): |\S*:?\(\S+\): )?(undefined reference to .+|multiple definition of .+|cannot find -l.+)$/u
const SYNTAX =
  /^(?:expected\b(?!.* but argument)|stray\b|missing terminating\b|unterminated\b|invalid suffix\b|unexpected\b)/u
const NOISE = /^each undeclared identifier is reported only once/u
const LINKER_FAILED = /^ld returned \d+ exit status$|^linker command failed/u
const NOTES_SHOWN = 4

interface OpenError {
  readonly kind: FailureKind
  readonly place?: ReportedPlace
  readonly frames: readonly ReportedPlace[]
  readonly message: string[]
  carets?: string
  notes: number
}

/** Reads errors and what belongs to them; warnings are left out, since they stopped nothing. */
export const readCompilerErrors: ReportReader = (text) => {
  const errors: OpenError[] = []
  let open: OpenError | undefined
  let required: ReportedPlace[] = []
  for (const line of text.split('\n')) {
    const [, file, row, column, severity, said = ''] = DIAGNOSTIC.exec(line) ?? []
    const place = placeOf(file, row, column)
    const from = REQUIRED.exec(line)
    if (severity === 'error' || severity === 'fatal error') {
      open = begin(said, place, required)
      errors.push(open)
      required = []
    } else if (severity === 'warning') open = undefined
    else if (severity === 'note') addNote(open, said, place)
    else if (from !== null) required.unshift(...(placeOf(from[1], from[2], from[3]) ?? []))
    else if (open !== undefined && open.carets === undefined) {
      const marks = /\^~*/u.exec(GUTTER.exec(line)?.[1] ?? '')?.[0]
      if (marks !== undefined) open.carets = marks
    }
    const linked = linkerError(line)
    if (linked !== undefined) errors.push(linked)
  }
  // The linker's caller only says that it failed.
  const own = errors.filter(({ message }) => !LINKER_FAILED.test(message[0] ?? ''))
  return { errors: (own.length > 0 ? own : errors).map(closed), explains: true }
}

function placeOf(file?: string, row?: string, column?: string): readonly ReportedPlace[] | undefined {
  if (file === undefined || row === undefined) return undefined
  return [{ file, line: Number(row), ...(column !== undefined && { column: Number(column) }) }]
}

function begin(
  said: string,
  place: readonly ReportedPlace[] | undefined,
  frames: readonly ReportedPlace[],
): OpenError {
  const kind = /: No such file or directory$/u.test(said) ? 'import' : SYNTAX.test(said) ? 'syntax' : 'type'
  return { kind, ...(place?.[0] !== undefined && { place: place[0] }), frames, message: [said], notes: 0 }
}

function addNote(open: OpenError | undefined, said: string, place?: readonly ReportedPlace[]): void {
  if (open === undefined || NOISE.test(said) || ++open.notes > NOTES_SHOWN) return
  const where = place?.[0]
  // Of a header of the system its name is enough.
  const file = where?.file.startsWith('/') ? where.file.slice(where.file.lastIndexOf('/') + 1) : where?.file
  open.message.push(where === undefined ? `note: ${said}` : `note: ${said} (${file}, line ${where.line})`)
}

function linkerError(line: string): OpenError | undefined {
  const [, file, row, said] = matchLine(LINKER, line) ?? []
  if (said === undefined) return undefined
  const place = placeOf(file, row)?.[0]
  const kind = /^undefined reference to [`'"]main['"]$/u.test(said) ? 'missing-entry' : 'type'
  return { kind, ...(place !== undefined && { place }), frames: [], message: [said], notes: 0 }
}

function closed({ kind, place, frames, message, carets }: OpenError): ReportedError {
  return {
    kind,
    message: message.join('\n'),
    frames,
    ...(place !== undefined && { place: { ...place, ...(carets !== undefined && { carets }) } }),
  }
}
