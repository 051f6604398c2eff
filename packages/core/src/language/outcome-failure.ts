// An end that no traceback explains → a failure that says how the program ended and what it said last.
import type { ExecutionResult, Outcome } from '../contract/execution.js'
import type { Failure, FailureKind } from '../contract/verify.js'
import { fingerprintOf } from './fingerprint.js'
import { textForModel } from './text-for-model.js'

/** What helps to say it. */
export interface OutcomeFailureOptions {
  /** Takes paths of the sandbox out of a text. */
  hide(text: string): string
  /** First line of an exception that was printed before the end. */
  readonly raised?: string
}

const SIGNALS: Readonly<Record<string, string>> = {
  SIGSEGV:
    'it touched memory it must not touch; often endless recursion in native code or a broken extension',
  SIGBUS: 'it touched memory that is not there',
  SIGABRT: 'it aborted itself',
  SIGFPE: 'an arithmetic fault in native code',
  SIGILL: 'an illegal instruction',
  SIGKILL: 'neither a time limit nor another limit of the sandbox is known to have done this',
  SIGSYS: 'it made a system call that is not allowed here',
  SIGPIPE: 'it wrote to a pipe that nobody reads',
  SIGXCPU: 'the signal for too much processor time; no such limit of the sandbox is known to have sent it',
  SIGXFSZ: 'it wrote a file larger than is allowed',
}
const LIMITS: Readonly<Record<Extract<Outcome, { kind: 'resource' }>['limit'], string>> = {
  memory: 'it used more memory than it may',
  disk: 'it wrote more to disk than it may',
  output: 'it printed more than it may',
  processes: 'it started more processes or threads than it may',
}
const SHOWN_LINES = 5
const SHOWN_LINE_CHARS = 200

/**
 * The failure that an outcome itself is.
 *
 * @returns undefined for exit code 0, and for `lost` and `aborted`, which are not the program's doing
 */
export function outcomeFailure(
  execution: ExecutionResult,
  options: OutcomeFailureOptions,
): Failure | undefined {
  const subject = execution.step === 'compile' ? 'The compiler' : 'The program'
  const said = sentence(execution.outcome, subject)
  if (said === undefined) return undefined
  const lines = [said.text]
  if (options.raised !== undefined) lines.push(`Before that it had already failed with: ${options.raised}`)
  lines.push(...lastWords(execution, options))
  const failure = { kind: said.kind, message: lines.join('\n') }
  return { ...failure, fingerprint: fingerprintOf(failure) }
}

function sentence(outcome: Outcome, subject: string): { kind: FailureKind; text: string } | undefined {
  switch (outcome.kind) {
    case 'exit':
      return outcome.code === 0 ? undefined : { kind: 'exception', text: exitText(outcome.code, subject) }
    case 'signal':
      return { kind: 'exception', text: `${subject} was killed by ${signalText(outcome.signal)}.` }
    case 'timeout':
      return {
        kind: 'timeout',
        text:
          outcome.clock === 'wall'
            ? `${subject} had not ended after ${secondsText(outcome.limitMs)} (wall-clock limit) and was stopped.`
            : `${subject} was stopped after ${secondsText(outcome.limitMs)} of processor time (CPU limit).`,
      }
    case 'resource':
      return {
        kind: 'resource',
        text: `${subject} was stopped at the ${outcome.limit} limit: ${LIMITS[outcome.limit]}.`,
      }
    case 'denied':
      return {
        kind: 'denied',
        text: `${subject} was stopped because it did what is not allowed here: ${outcome.rule}.`,
      }
    case 'aborted':
    case 'lost':
      return undefined
  }
}

function exitText(code: number, subject: string): string {
  // A shell reports a child that was killed by signal n as 128 + n.
  const signal = code > 128 ? SHELL_SIGNALS[code - 128] : undefined
  return signal === undefined
    ? `${subject} exited with code ${code}.`
    : `${subject} exited with code ${code}, which stands for ${signalText(signal)}.`
}

const SHELL_SIGNALS: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
}

function signalText(signal: string): string {
  const meaning = SIGNALS[signal]
  return meaning === undefined ? signal : `${signal} (${meaning})`
}

const secondsText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${Number((milliseconds / 1000).toFixed(2))} s`

/** The last lines of each stream that said anything. */
function lastWords({ stdout, stderr }: ExecutionResult, { hide, raised }: OutcomeFailureOptions): string[] {
  const words: string[] = []
  // A traceback is reported as a failure of its own.
  if (raised === undefined) words.push(...tail('stderr', hide(textForModel(stderr.text))))
  if (words.length === 0) words.push(...tail('stdout', hide(textForModel(stdout.text))))
  return words.length === 0 && raised === undefined ? ['It printed nothing.'] : words
}

function tail(stream: string, text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return []
  const shown = lines.slice(-SHOWN_LINES).map((line) => `  ${clip(line)}`)
  return [lines.length > shown.length ? `Last lines of ${stream}:` : `It printed on ${stream}:`, ...shown]
}

const clip = (line: string): string =>
  line.length <= SHOWN_LINE_CHARS
    ? line
    : `${line.slice(0, SHOWN_LINE_CHARS).replace(/[\ud800-\udbff]$/u, '')} … (${line.length} characters)`
