// An exception as Python printed it → a failure that speaks of the program's own files.
import type { Candidate } from '../contract/candidate.js'
import type { Failure, FailureKind, SourceLocation, StackFrame } from '../contract/verify.js'
import { excerptOf, sourceLines } from './excerpt.js'
import { fingerprintOf } from './fingerprint.js'
import type { ProgramPaths } from './program-paths.js'
import { readAssertion } from './python-assertion.js'
import { syntaxMarks } from './python-syntax-marks.js'
import type { PrintedException, PrintedFrame } from './python-traceback.js'
import { outerAndInner } from './reported.js'

const SYNTAX = new Set(['SyntaxError', 'IndentationError', 'TabError'])
const KINDS: Readonly<Record<string, FailureKind>> = {
  AssertionError: 'assertion',
  ImportError: 'import',
  ModuleNotFoundError: 'import',
  MemoryError: 'resource',
}
/** Text that the program itself compiled and ran. */
const GENERATED = /^<(?:string|stdin|unknown|ast|code|exec|eval|generated\b[^>]*|dynamic\b[^>]*)>$/u
const SHOWN_MEMBERS = 20

/** What a failure is made with. */
export interface PythonFailureContext {
  readonly paths: ProgramPaths
  readonly candidate: Candidate | undefined
}

/** The failure of one printed exception, with its causes inside. */
export function toFailure(raised: PrintedException, context: PythonFailureContext): Failure {
  const { paths, candidate } = context
  const shown: (StackFrame & { readonly printed: PrintedFrame })[] = []
  for (const printed of raised.frames) {
    const path = GENERATED.test(printed.file) ? printed.file : paths.own(printed.file)
    if (path !== undefined) shown.push({ ...ownFrame(printed, path, candidate), printed })
  }
  const own = shown.filter(({ path }) => !GENERATED.test(path))
  const last = own.at(-1)
  // A syntax error names no function, since nothing of that file ran.
  const isSyntax = SYNTAX.has(shortName(raised.type)) && last?.printed.function === undefined
  const innermost = isSyntax && last !== undefined ? { ...last, printed: inCharacters(last.printed) } : last
  const all = shown.filter(({ printed }) => printed.function !== undefined)
  // Functions that call each other without end are printed a thousand times.
  const calls = outerAndInner(all)
  const folded = raised.frames.length - shown.length + all.length - calls.length
  const message = paths.hide(withMembers(raised))
  const kind = isSyntax && innermost !== undefined ? 'syntax' : (KINDS[shortName(raised.type)] ?? 'exception')
  const location = innermost === undefined ? undefined : locate(innermost, candidate)
  const excerpt = innermost === undefined ? undefined : excerptAt(innermost, location, candidate)
  const failure: Omit<Failure, 'fingerprint'> = {
    kind,
    message,
    ...(location !== undefined && { location }),
    ...(calls.length > 0 && { frames: calls.map(({ printed: _, ...frame }) => frame) }),
    ...(folded > 0 && { foldedFrames: folded }),
    ...(excerpt !== undefined && { excerpt }),
    ...(kind === 'assertion' && readAssertion(message, innermost?.source)),
    ...(raised.cause !== undefined && { cause: toFailure(raised.cause, context) }),
  }
  return { ...failure, fingerprint: fingerprintOf(failure) }
}

/** Every file that a printed exception names. */
export const filesOfPrinted = ({ frames, cause, members }: PrintedException): string[] => [
  ...frames.map(({ file }) => file),
  ...(cause === undefined ? [] : filesOfPrinted(cause)),
  ...members.flatMap(filesOfPrinted),
]

const shortName = (type: string): string => type.slice(type.lastIndexOf('.') + 1)

/** A group's line says only how many exceptions are in it; their lines follow here. */
function withMembers({ message, members }: PrintedException): string {
  if (members.length === 0) return message
  const lines = members
    .slice(0, SHOWN_MEMBERS)
    .map((member, index) => `  ${index + 1}. ${member.message.split('\n').join('\n     ')}`)
  const rest = members.length - lines.length
  return [message, ...lines, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n')
}

function ownFrame(printed: PrintedFrame, path: string, candidate: Candidate | undefined): StackFrame {
  const source = printed.source ?? lineOf(candidate, path, printed.line)?.trim()
  return {
    path,
    line: printed.line,
    ...(printed.function !== undefined && { function: printed.function }),
    ...(source !== undefined && { source }),
  }
}

/** The frame of a syntax error with its marks where they belong; without them, when that is not known. */
function inCharacters(printed: PrintedFrame): PrintedFrame {
  const { source, caretsAt, carets, ...rest } = printed
  if (source === undefined || caretsAt === undefined || carets === undefined) return printed
  const marks = syntaxMarks(source, { at: caretsAt, length: carets.length })
  if (marks === undefined) return { ...rest, source }
  return { ...rest, source, caretsAt: marks.at, carets: carets.slice(0, marks.length) }
}

function locate(
  frame: StackFrame & { printed: PrintedFrame },
  candidate: Candidate | undefined,
): SourceLocation {
  const { path, line, printed } = frame
  if (printed.caretsAt === undefined || printed.caretsAt < 0) return { path, line }
  // Python prints the line without its indentation, so the column is found again in the line as it was written.
  const written = lineOf(candidate, path, line)
  const indentation =
    written === undefined || printed.source === undefined ? 0 : written.indexOf(printed.source)
  return { path, line, column: Math.max(0, indentation) + printed.caretsAt + 1 }
}

function excerptAt(
  { path, line, printed }: StackFrame & { printed: PrintedFrame },
  location: SourceLocation | undefined,
  candidate: Candidate | undefined,
): string | undefined {
  const text = candidate?.files[path]
  if (text === undefined) return undefined
  const { column } = location ?? {}
  const { carets } = printed
  return excerptOf(text, line, {
    ...(column !== undefined && { column }),
    ...(carets !== undefined && { carets }),
  })
}

function lineOf(candidate: Candidate | undefined, path: string, line: number): string | undefined {
  const text = candidate?.files[path]
  return text === undefined ? undefined : sourceLines(text)[line - 1]
}
