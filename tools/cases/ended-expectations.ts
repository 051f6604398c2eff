// What programs and cells of a session have in common: how they ended, what they wrote, how long they took.
import { type CapturedText, type Outcome, textForModel } from '@mendloop/core'
import {
  all,
  asBoolean,
  asCount,
  asFilledEntries,
  asFilledText,
  asKnown,
  asObjectOf,
  asText,
  atMost,
  type Complaint,
  contains,
  containsNone,
  equals,
  isNoneOf,
  isOneOf,
  NotUnderstood,
  own,
  shown,
} from './expectation.js'
import { exitCode, RUN_STATUSES, signalName } from './names.js'

/** Something that ran and has ended. */
export interface Ended {
  /** By the neutral names; the first one is the product's own, the others are as good. */
  readonly statuses: readonly [string, ...string[]]
  readonly outcome: Outcome
  readonly stdout: CapturedText
  readonly stderr: CapturedText
  readonly tookMs: number
}

/** Bytes that are no UTF-8 are shown by a sign that is longer than they are: then only the count of the sandbox is right. */
const bytesKept = ({ text, bytes, omittedBytes }: CapturedText): number =>
  text.includes('\ufffd') ? bytes - omittedBytes : Buffer.byteLength(text)

/** The checks, by the key of the expectation. */
export const ENDED_CHECKS: Readonly<Record<string, (wanted: unknown, ended: Ended) => Complaint>> = {
  status: (wanted, { statuses }) =>
    equals('status', asKnown(wanted, RUN_STATUSES), closest(wanted, statuses)),
  statusIn: (wanted, { statuses }) => isOneOf('status', wanted, closest(wanted, statuses), RUN_STATUSES),
  statusNot: (wanted, { statuses }) =>
    isNoneOf('status', wanted, statuses[0], (one) => asKnown(one, RUN_STATUSES)),
  exitCode: (wanted, { outcome }) => equals('exit code', asExitCode(wanted), exitCode(outcome)),
  exitCodeNot: (wanted, { outcome }) => isNoneOf('exit code', wanted, exitCode(outcome), asExitCode),
  signal: (wanted, { outcome }) => equals('signal', wanted, signalName(outcome)),
  stdout: (wanted, { stdout }) => equals('stdout', asText(wanted), stdout.text),
  rawStdout: (wanted, { stdout }) => equals('raw stdout', asText(wanted), stdout.text),
  stdoutContains: (wanted, { stdout }) => contains('stdout', wanted, stdout.text),
  stdoutNotContains: (wanted, { stdout }) => containsNone('stdout', wanted, stdout.text),
  stdoutEndsWith: (wanted, { stdout: { text } }) =>
    text.endsWith(asFilledText(wanted))
      ? undefined
      : `stdout: must end with ${shown(wanted)}, ends with ${shown(text.slice(-100))}`,
  // All that the program wrote arrived; and where nothing was cut, all of it is there to read.
  stdoutBytes: (wanted, { stdout }) =>
    all(
      equals('bytes of stdout', asCount(wanted), stdout.bytes),
      stdout.truncated ? undefined : equals('bytes of stdout kept', wanted, bytesKept(stdout)),
    ),
  stdoutBytesAtMost: (wanted, { stdout }) => atMost('bytes of stdout kept', wanted, bytesKept(stdout)),
  stderrContains: (wanted, { stderr }) => contains('stderr', wanted, stderr.text),
  truncated: (wanted, { stdout, stderr }) =>
    all(
      equals('truncated', asBoolean(wanted), stdout.truncated || stderr.truncated),
      wanted === true && stdout.omittedBytes + stderr.omittedBytes === 0
        ? 'truncated: the amount dropped is not told'
        : undefined,
    ),
  forModel: complaintAboutText,
  settlesWithinMs: (wanted, { tookMs }) => atMost('milliseconds to settle', wanted, tookMs),
}

/** Of what the end may be called, the name that a case looks for, if it is among them. */
function closest(wanted: unknown, statuses: Ended['statuses']): string {
  const names: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted]
  return statuses.find((status) => names.includes(status)) ?? statuses[0]
}

/** A code that a program can end with, or null for one that has none. */
function asExitCode(value: unknown): number | null {
  const code = value === null ? 0 : asCount(value)
  if (code <= 255) return value === null ? null : code
  throw new NotUnderstood(`no program ends with the code ${code}`)
}

function complaintAboutText(wanted: unknown, { stdout, stderr }: Ended): Complaint {
  const keys = [
    ...['stdout', 'stdoutContains', 'stdoutNotContains', 'stdoutLinesAtMost'],
    ...['stderr', 'stderrContains', 'stderrNotContains', 'stderrLinesAtMost', 'noEscapeBytes'],
  ]
  const fields = asObjectOf(wanted, keys)
  const out = textForModel(stdout.text)
  const error = textForModel(stderr.text)
  const lines = (text: string): number => text.split('\n').filter((line) => line !== '').length
  const checks: Record<string, (value: unknown) => Complaint> = {
    stdout: (value) => equals('stdout for the model', asText(value), out),
    stdoutContains: (value) => contains('stdout for the model', value, out),
    stdoutNotContains: (value) => containsNone('stdout for the model', value, out),
    stdoutLinesAtMost: (value) => atMost('lines of stdout for the model', value, lines(out)),
    stderr: (value) => equals('stderr for the model', asText(value), error),
    stderrContains: (value) => contains('stderr for the model', value, error),
    stderrNotContains: (value) => containsNone('stderr for the model', value, error),
    stderrLinesAtMost: (value) => atMost('lines of stderr for the model', value, lines(error)),
    noEscapeBytes: (value) =>
      equals('no escape bytes for the model', asBoolean(value), !`${out}${error}`.includes('\u001b')),
  }
  return all(...asFilledEntries(fields).map(([key, value]) => own(checks, key)?.(value)))
}
