// What a case of kind `run` may expect, key by key.
import { type ExecutionResult, MendloopError, type Sandbox } from '@mendloop/core'
import type { Fields } from './bug-case.js'
import { isOfTheProgram } from './case-program.js'
import { ENDED_CHECKS, type Ended } from './ended-expectations.js'
import {
  all,
  asBoolean,
  asCount,
  asFilledEntries,
  asFilledList,
  asFilledText,
  asFilledTexts,
  atMost,
  type Complaint,
  containsNone,
  equals,
  own,
  shown,
} from './expectation.js'
import { runStatus, runStatuses } from './names.js'
import { canListProcesses, settled } from './processes.js'
import type { Observed } from './run-program.js'

type Check = (wanted: unknown, observed: Observed) => Complaint | Promise<Complaint>

const CHECKS: Readonly<Record<string, Check>> = {
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
  filesNotContaining: (wanted, observed) => complaintAboutFiles(asFilledTexts(wanted), observed),
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
    const ended = own(ENDED_CHECKS, key)
    const check = own(CHECKS, key)
    if (ended !== undefined) complaints.push(ended(wanted, toEnded(observed)))
    else complaints.push(check === undefined ? `no check for "${key}"` : await check(wanted, observed))
  }
  return complaints
}

const toEnded = ({ result, tookMs }: Observed): Ended => ({
  ...result,
  statuses: runStatuses(result.outcome, result.stderr.text),
  tookMs,
})

const isExecution = (value: unknown): value is ExecutionResult =>
  typeof value === 'object' && value !== null && 'outcome' in value

async function processCount(what: string, wanted: unknown, count: () => number): Promise<Complaint> {
  if (!canListProcesses) return `${what}: processes cannot be listed on ${process.platform}`
  return equals(what, asCount(wanted), await settled(count, asCount(wanted)))
}

/** The program's own file is left out: it holds whatever the program names. */
async function complaintAboutFiles(
  texts: readonly string[],
  { sandbox, program }: Observed,
): Promise<Complaint> {
  const complaints = (await sandbox.files.list()).map(async ({ path }) => {
    const content = await contentOf(path, sandbox)
    if (content === undefined || isOfTheProgram(path, content, program)) return undefined
    return containsNone(`file ${path}`, texts, Buffer.from(content).toString('latin1'))
  })
  return all(...(await Promise.all(complaints)))
}

/** Undefined for what nobody is given, such as a file whose name no workspace takes, or one with a second name: it gives nothing away. */
async function contentOf(path: string, sandbox: Sandbox): Promise<Uint8Array | undefined> {
  try {
    return await sandbox.files.read(path)
  } catch (error) {
    if (MendloopError.is(error, 'PATH_REFUSED') || MendloopError.is(error, 'FILE_UNAVAILABLE'))
      return undefined
    throw error
  }
}

/** Also what lies behind a link that was made, since it may lead to where the program itself sees nothing. */
const IS_THERE =
  'test -e "$1" && exit; p=$1; while test "$p" != . -a "$p" != /; do test -L "$p" && exit; p=$(dirname "$p"); done; exit 1'

const IS_PLAIN = 'test -f "$1" && ! test -L "$1"'

/**
 * A skipped file is neither listed nor read: it is a link, a pipe, or something else that is not a plain file. A plain one,
 * such as a file with a second name, may be listed as long as reading it is refused.
 */
async function complaintAboutSkipped(paths: readonly string[], sandbox: Sandbox): Promise<Complaint> {
  const listed = new Set((await sandbox.files.list()).map(({ path }) => path))
  const complaints = paths.map(async (path) => {
    if (listed.has(path) && !(await sandbox.exec({ argv: ['sh', '-c', IS_PLAIN, 'sh', path] })).ok)
      return `file ${path}: must be skipped, but is listed`
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
