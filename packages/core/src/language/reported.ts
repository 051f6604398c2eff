// An error as a compiler or a runtime reported it → a failure that speaks of the program's own files.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult, Outcome } from '../contract/execution.js'
import type { Failure, FailureKind, SourceLocation, StackFrame } from '../contract/verify.js'
import { excerptOf, sourceLines } from './excerpt.js'
import { fingerprintOf } from './fingerprint.js'
import { outcomeFailure } from './outcome-failure.js'
import { type ProgramPaths, programPaths } from './program-paths.js'
import { textForModel } from './text-for-model.js'

/** A place that a report names. */
export interface ReportedPlace {
  /** The file as it was named. */
  readonly file: string
  /** 1-based line; 0 when only `find` tells it. */
  readonly line: number
  /** What stands in the line, when the report does not say which it is. */
  readonly find?: string
  /** 1-based column, where known. */
  readonly column?: number
  /** Name of the function, where known. */
  readonly function?: string
  /** Marks that begin at the column, such as `^~~~`. */
  readonly carets?: string
}

/** An error in a report. */
export interface ReportedError {
  readonly kind: FailureKind
  /** The line that says it, with what belongs to it. */
  readonly message: string
  /** The calls, outermost first. */
  readonly frames?: readonly ReportedPlace[]
  /** Where it is, when no call says it. */
  readonly place?: ReportedPlace
  readonly expected?: string
  readonly actual?: string
  readonly cause?: ReportedError
}

/** What was read out of a program's or a compiler's output. */
export interface Report {
  /** The one to mend first stands first. */
  readonly errors: readonly ReportedError[]
  /** True when they say why the execution ended as it did; otherwise its end is a failure of its own. */
  readonly explains: boolean
}

/** Reads the cleaned text of standard error; `outcome` is how the execution ended. */
export type ReportReader = (stderr: string, outcome: Outcome, stdout: string) => Report

/** No report has longer ones, and on such a line the patterns would take too long. */
const LONGEST_LINE_CHARS = 4000

/** What `pattern` finds in a line of a report. */
export const matchLine = (pattern: RegExp, line: string): RegExpExecArray | null =>
  line.length > LONGEST_LINE_CHARS ? null : pattern.exec(line)

const MOST_FAILURES = 10
/** Of which some may be the same: a template that does not fit is told each time it is used. */
const MOST_READ = 100
const MOST_CAUSES = 10
/** Of endless recursion the outer and the inner calls are of use. */
const OUTER_FRAMES = 10
const INNER_FRAMES = 30

/** Reads an execution with the reader of its language. */
export function diagnoseReport(
  reader: ReportReader,
  execution: ExecutionResult,
  candidate?: Candidate,
): readonly Failure[] {
  const { outcome, ok, stderr, stdout } = execution
  if (ok || outcome.kind === 'aborted' || outcome.kind === 'lost') return []
  const report = reader(textForModel(stderr.text), outcome, textForModel(stdout.text))
  const paths = programPaths({
    seen: report.errors.flatMap((error) => filesOfReported(error)),
    ...(candidate !== undefined && { candidate }),
  })
  const read = report.errors.slice(0, MOST_READ).map((error) => toReportedFailure(error, paths, candidate))
  const failures = onceEach(read, execution.step === 'compile')
  const ended = outcome.kind === 'exit' || outcome.kind === 'signal'
  if (ended && report.explains && failures.length > 0) return failures
  const raised = report.errors[0]?.message.split('\n')[0]
  const failure = outcomeFailure(execution, {
    hide: paths.hide,
    ...(raised !== undefined && { raised: paths.hide(raised) }),
  })
  return failure === undefined ? failures : [failure, ...failures]
}

/** The failure of one reported error, with its causes inside. */
export function toReportedFailure(
  error: ReportedError,
  paths: ProgramPaths,
  candidate: Candidate | undefined,
  depth = 0,
): Failure {
  const { kind, frames = [], place, cause, expected, actual } = error
  const own = frames.flatMap((frame) => ownFrame(frame, paths, candidate))
  const shown = withoutRepeats(own)
  const ownPlace = place === undefined ? undefined : ownFrame(place, paths, candidate)[0]
  const where = ownPlace ?? own.at(-1)
  const folded = frames.length - shown.length
  const carets = ownPlace === undefined ? undefined : place?.carets
  const excerpt = where === undefined ? undefined : excerptAt(where, carets, candidate)
  const failure: Omit<Failure, 'fingerprint'> = {
    kind,
    message: paths.hide(error.message),
    ...(where !== undefined && { location: locationOf(where) }),
    ...(shown.length > 0 && { frames: shown }),
    ...(folded > 0 && { foldedFrames: folded }),
    ...(excerpt !== undefined && { excerpt }),
    ...(expected !== undefined && { expected: paths.hide(expected) }),
    ...(actual !== undefined && { actual: paths.hide(actual) }),
    ...(cause !== undefined &&
      depth < MOST_CAUSES && { cause: toReportedFailure(cause, paths, candidate, depth + 1) }),
  }
  return { ...failure, fingerprint: fingerprintOf(failure) }
}

/** What is said twice is one failure; of a compiler's, the first line and the place count, since notes go with each use. */
function onceEach(failures: readonly Failure[], isCompiler: boolean): readonly Failure[] {
  const seen = new Set<string>()
  const distinct = failures.filter((failure) => {
    const { message, location } = failure
    const key = JSON.stringify(isCompiler ? [message.split('\n')[0], location] : failure)
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
  return distinct.slice(0, MOST_FAILURES)
}

const locationOf = ({ path, line, column }: StackFrame): SourceLocation => ({
  path,
  line,
  ...(column !== undefined && { column }),
})

function ownFrame(
  place: ReportedPlace,
  paths: ProgramPaths,
  candidate: Candidate | undefined,
): readonly StackFrame[] {
  const path = paths.own(place.file)
  if (path === undefined) return []
  const text = candidate?.files[path]
  const lines = text === undefined ? [] : sourceLines(text)
  const { find } = place
  const line = find === undefined ? place.line : lines.findIndex((one) => one.includes(find)) + 1
  if (line < 1) return []
  const source = lines[line - 1]?.trim()
  return [
    {
      path,
      line,
      ...(place.column !== undefined && { column: place.column }),
      ...(place.function !== undefined && { function: place.function }),
      ...(source !== undefined && source !== '' && { source }),
    },
  ]
}

/** A call that repeats itself is shown once, and of very many the outer and the inner ones. */
function withoutRepeats(frames: readonly StackFrame[]): readonly StackFrame[] {
  const distinct = frames.filter((frame, index) => {
    const before = frames[index - 1]
    return (
      before === undefined ||
      before.path !== frame.path ||
      before.line !== frame.line ||
      before.function !== frame.function
    )
  })
  return outerAndInner(distinct)
}

/** Of very many calls the outer and the inner ones. */
export function outerAndInner<Call>(calls: readonly Call[]): readonly Call[] {
  if (calls.length <= OUTER_FRAMES + INNER_FRAMES) return calls
  return [...calls.slice(0, OUTER_FRAMES), ...calls.slice(-INNER_FRAMES)]
}

function excerptAt(
  { path, line, column }: StackFrame,
  carets: string | undefined,
  candidate: Candidate | undefined,
): string | undefined {
  const text = candidate?.files[path]
  if (text === undefined) return undefined
  return excerptOf(text, line, { ...(column !== undefined && { column, carets: carets ?? '^' }) })
}

/** Every file that a reported error names. */
export const filesOfReported = ({ frames = [], place, cause }: ReportedError): string[] => [
  ...(place === undefined ? [] : [place.file]),
  ...frames.map(({ file }) => file),
  ...(cause === undefined ? [] : filesOfReported(cause)),
]
