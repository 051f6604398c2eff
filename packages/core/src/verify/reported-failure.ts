// A failed test as a report tells it → a failure that points into the candidate's files where it can.
import type { Candidate } from '../contract/candidate.js'
import type { CapturedText, ExecutionResult } from '../contract/execution.js'
import type { Failure, FailureKind, VerifyContext } from '../contract/verify.js'
import { diagnose } from '../language/diagnose.js'
import { programPaths } from '../language/program-paths.js'
import { readAssertion } from '../language/python-assertion.js'
import { newFailure } from './new-failure.js'
import type { ReportedCase } from './test-report.js'

const LONGEST_MESSAGE = 4000

/** The failure of one test. */
export function reportedFailure(
  { name, type = '', message = '', details = '' }: ReportedCase,
  { candidate, language, sandbox }: VerifyContext,
): Failure {
  const { hide } = programPaths({ candidate, workdir: sandbox.workdir })
  const said = hide(message.trim() === '' ? `The test ${name} failed.` : message.trim()).slice(
    0,
    LONGEST_MESSAGE,
  )
  const read = readDetails(details, language, candidate)
  const kind = kindOf(type, said) ?? read?.kind ?? 'assertion'
  const { expected, actual } =
    kind === 'assertion' ? { ...readAssertion(said, assertionLine(details)), ...read } : {}
  const { location, frames, foldedFrames, excerpt, cause } = read ?? {}
  return newFailure({
    kind,
    message: said,
    location,
    frames,
    foldedFrames,
    excerpt,
    cause,
    expected,
    actual,
    test: name,
  })
}

/** The line of the tests that failed, where the report shows it. */
const assertionLine = (details: string): string | undefined =>
  details
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => /^(?:self\.assert\w*\(|assert\s)/u.test(line))

/** A traceback is read as that of the program would be. */
function readDetails(details: string, language: string, candidate: Candidate): Failure | undefined {
  if (details.trim() === '') return undefined
  const text = (value: string): CapturedText => ({
    text: value,
    bytes: value.length,
    truncated: false,
    omittedBytes: 0,
  })
  const told = {
    outcome: { kind: 'exit', code: 1 },
    ok: false,
    stdout: text(''),
    stderr: text(details),
    durationMs: 0,
    usage: {},
    changes: [],
  } as unknown as ExecutionResult
  const read = diagnose(told, { language, candidate })
  // What is not read as an exception is told as the end of a program, which this is not.
  return read.find(({ location, frames, kind }) => location ?? frames ?? (kind !== 'exception' || undefined))
}

/** The sort of failure that a runner's words stand for; undefined when they may be anything. */
function kindOf(type: string, message: string): FailureKind | undefined {
  const name = /^\w*(?:Error|Exception|Failure)\b/u.exec(message)?.[0] ?? ''
  const word = `${type} ${name}`
  if (/assert/iu.test(word) || word.startsWith('Failed')) return 'assertion'
  if (/ModuleNotFoundError|ImportError|ERR_MODULE_NOT_FOUND/u.test(word)) return 'import'
  if (/SyntaxError|IndentationError|TabError/u.test(word)) return 'syntax'
  if (/testTimeoutFailure|TimeoutError/u.test(word)) return 'timeout'
  return /Error|Exception/u.test(word) ? 'exception' : undefined
}
