// What a case of kind `run` may expect, key by key.
import { type ExecutionResult, MendloopError, type Sandbox, textForModel } from '@mendloop/core'
import type { Fields } from './bug-case.js'
import {
  all,
  asBoolean,
  asCount,
  asFilledEntries,
  asFilledList,
  asFilledText,
  asFilledTexts,
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
import { exitCode, isTruncated, RUN_STATUSES, runStatus, signalName } from './names.js'
import { canListProcesses, settled } from './processes.js'
import type { Observed } from './run-program.js'

type Check = (wanted: unknown, observed: Observed) => Complaint | Promise<Complaint>

const bytesOf = (text: string): number => Buffer.byteLength(text)

const CHECKS: Readonly<Record<string, Check>> = {
  status: (wanted, { result }) => equals('status', wanted, runStatus(result.outcome)),
  statusIn: (wanted, { result }) => isOneOf('status', wanted, runStatus(result.outcome), RUN_STATUSES),
  statusNot: (wanted, { result }) =>
    isNoneOf('status', wanted, runStatus(result.outcome), (one) => asKnown(one, RUN_STATUSES)),
  exitCode: (wanted, { result }) => equals('exit code', wanted, exitCode(result.outcome)),
  exitCodeNot: (wanted, { result }) => isNoneOf('exit code', wanted, exitCode(result.outcome), asExitCode),
  signal: (wanted, { result }) => equals('signal', wanted, signalName(result.outcome)),
  stdout: (wanted, { result }) => equals('stdout', asText(wanted), result.stdout.text),
  rawStdout: (wanted, { result }) => equals('raw stdout', asText(wanted), result.stdout.text),
  stdoutContains: (wanted, { result }) => contains('stdout', wanted, result.stdout.text),
  stdoutNotContains: (wanted, { result }) => containsNone('stdout', wanted, result.stdout.text),
  stdoutEndsWith: (wanted, { result }) =>
    result.stdout.text.endsWith(asFilledText(wanted))
      ? undefined
      : `stdout: must end with ${shown(wanted)}, ends with ${shown(result.stdout.text.slice(-100))}`,
  // All that the program wrote arrived; and where nothing was cut, all of it is there to read.
  stdoutBytes: (wanted, { result: { stdout } }) =>
    all(
      equals('bytes of stdout', asCount(wanted), stdout.bytes),
      stdout.truncated ? undefined : equals('bytes of stdout kept', wanted, bytesOf(stdout.text)),
    ),
  stdoutBytesAtMost: (wanted, { result }) =>
    atMost('bytes of stdout kept', wanted, bytesOf(result.stdout.text)),
  stderrContains: (wanted, { result }) => contains('stderr', wanted, result.stderr.text),
  truncated: (wanted, { result }) =>
    all(
      equals('truncated', asBoolean(wanted), isTruncated(result)),
      wanted === true && result.stdout.omittedBytes + result.stderr.omittedBytes === 0
        ? 'truncated: the amount dropped is not told'
        : undefined,
    ),
  forModel: (wanted, { result }) => complaintAboutText(wanted, result),
  settlesWithinMs: (wanted, { tookMs }) => atMost('milliseconds to settle', wanted, tookMs),
  hostMemoryGrowthMiBAtMost: (wanted, { memoryGrowthMiB }) =>
    atMost('MiB of growth of the host process', wanted, memoryGrowthMiB),
  unhandledRejections: (wanted, { unhandled }) =>
    equals('unhandled rejections', wanted, unhandled.rejections),
  uncaughtExceptions: (wanted, { unhandled }) => equals('uncaught exceptions', wanted, unhandled.exceptions),
  survivors: (wanted, { processes }) => processCount('survivors', wanted, () => processes.survivors()),
  survivorsWithArgument: async (wanted, { processes }) => {
    const complaints = asFilledEntries(wanted).map(([argument, count]) =>
      processCount(`survivors with argument ${argument}`, count, () =>
        processes.withArgument(asFilledText(argument)),
      ),
    )
    return all(...(await Promise.all(complaints)))
  },
  zombies: (wanted, { processes }) => processCount('zombies', wanted, () => processes.zombies()),
  filesNotContaining: (wanted, { sandbox }) => complaintAboutFiles(asFilledTexts(wanted), sandbox),
  skippedFiles: (wanted, { sandbox }) =>
    complaintAboutSkipped(asFilledList(wanted).map(asFilledText), sandbox),
  nextRunWorks: async (wanted, observed) => {
    const next = await observed.runNext().catch((error: unknown) => error)
    const works = isExecution(next) && next.ok && next.stdout.text === 'next\n'
    const seen = isExecution(next) ? [runStatus(next.outcome), next.stdout.text] : `${next}`
    return equals(`next run works (it gave ${shown(seen)})`, asBoolean(wanted), works)
  },
  // Read by the runner itself, before anything runs.
  repeat: () => undefined,
}

/** Everything about one execution that is not as expected. */
export async function complaintsAboutRun(expect: Fields, observed: Observed): Promise<readonly Complaint[]> {
  const complaints: Complaint[] = []
  for (const [key, wanted] of Object.entries(expect)) {
    const check = own(CHECKS, key)
    complaints.push(check === undefined ? `no check for "${key}"` : await check(wanted, observed))
  }
  return complaints
}

const isExecution = (value: unknown): value is ExecutionResult =>
  typeof value === 'object' && value !== null && 'outcome' in value

/** A code that a program can end with, or null for one that has none. */
function asExitCode(value: unknown): number | null {
  const code = value === null ? 0 : asCount(value)
  if (code <= 255) return value === null ? null : code
  throw new NotUnderstood(`no program ends with the code ${code}`)
}

async function processCount(what: string, wanted: unknown, count: () => number): Promise<Complaint> {
  if (!canListProcesses) return `${what}: processes cannot be listed on ${process.platform}`
  return equals(what, asCount(wanted), await settled(count, asCount(wanted)))
}

function complaintAboutText(wanted: unknown, { stdout, stderr }: ExecutionResult): Complaint {
  const keys = [
    ...['stdout', 'stdoutContains', 'stdoutLinesAtMost'],
    ...['stderr', 'stderrContains', 'stderrLinesAtMost', 'noEscapeBytes'],
  ]
  const fields = asObjectOf(wanted, keys)
  const out = textForModel(stdout.text)
  const error = textForModel(stderr.text)
  const lines = (text: string): number => text.split('\n').filter((line) => line !== '').length
  const checks: Record<string, (value: unknown) => Complaint> = {
    stdout: (value) => equals('stdout for the model', asText(value), out),
    stdoutContains: (value) => contains('stdout for the model', value, out),
    stdoutLinesAtMost: (value) => atMost('lines of stdout for the model', value, lines(out)),
    stderr: (value) => equals('stderr for the model', asText(value), error),
    stderrContains: (value) => contains('stderr for the model', value, error),
    stderrLinesAtMost: (value) => atMost('lines of stderr for the model', value, lines(error)),
    noEscapeBytes: (value) =>
      equals('no escape bytes for the model', asBoolean(value), !`${out}${error}`.includes('\u001b')),
  }
  return all(...asFilledEntries(fields).map(([key, value]) => own(checks, key)?.(value)))
}

async function complaintAboutFiles(texts: readonly string[], sandbox: Sandbox): Promise<Complaint> {
  const complaints = (await sandbox.files.list()).map(async ({ path }) =>
    containsNone(`file ${path}`, texts, Buffer.from(await sandbox.files.read(path)).toString('latin1')),
  )
  return all(...(await Promise.all(complaints)))
}

/** Also what lies behind a link that was made, since it may lead to where the program itself sees nothing. */
const IS_THERE =
  'test -e "$1" && exit; p=$1; while test "$p" != . -a "$p" != /; do test -L "$p" && exit; p=$(dirname "$p"); done; exit 1'

/** A skipped file is neither listed nor read: it is a link, a pipe, or something else that is not a plain file. */
async function complaintAboutSkipped(paths: readonly string[], sandbox: Sandbox): Promise<Complaint> {
  const listed = new Set((await sandbox.files.list()).map(({ path }) => path))
  const complaints = paths.map(async (path) => {
    if (listed.has(path)) return `file ${path}: must be skipped, but is listed`
    const isThere = await sandbox.exec({ argv: ['sh', '-c', IS_THERE, 'sh', path] })
    if (!isThere.ok) return `file ${path}: must be skipped, but was never made`
    const outcome = await sandbox.files.read(path).then(
      () => 'read',
      (error: unknown) => (MendloopError.is(error) ? undefined : `${error}`),
    )
    return outcome === undefined ? undefined : `file ${path}: must be refused, but was: ${outcome}`
  })
  return all(...(await Promise.all(complaints)))
}
