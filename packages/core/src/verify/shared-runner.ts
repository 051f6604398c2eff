// One run of tests in a process that the program shares: fresh files, orders on standard input, a sealed report.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { CommandObject } from '../contract/sandbox.js'
import type { VerifyContext } from '../contract/verify.js'
import { withoutForeignConfiguration } from './foreign-configuration.js'
import { parseJUnit } from './parse-junit.js'
import type { SharedTests } from './shared-options.js'
import type { ReportReading } from './test-report.js'

/** What the runner in the sandbox is told on its standard input. */
export interface RunnerOrders {
  /** Every file that was handed in. */
  readonly files: readonly string[]
  /** Those that hold tests. */
  readonly tests: readonly string[]
  /** Whether each of those must hold a test. */
  readonly named: boolean
  /** Where the report goes, within the workspace. */
  readonly report: string
  /** Secret under which the report is sealed, in hex. */
  readonly key: string
  /** Another word that nobody can guess, for names that must be new. */
  readonly nonce: string
}

/** What became of a run. */
export interface SharedRun {
  readonly execution: ExecutionResult
  /** Undefined when the runner wrote none. */
  readonly report: ReportReading | undefined
}

const SEAL = /<!--([0-9a-f]{64})-->$/u
const SEAL_CHARS = '<!---->'.length + 64

/** How a runner is started. */
export interface RunnerStart {
  readonly command: CommandObject
  /** Programs to put into the folder of the report, by name. */
  readonly programs?: Readonly<Record<string, string>>
}

/** Runs the tests as `startOf` says; the folder that it is given is there for this run alone. */
export async function runShared(
  context: VerifyContext,
  tests: SharedTests,
  startOf: (orders: RunnerOrders, folder: string) => RunnerStart,
): Promise<SharedRun> {
  const { sandbox } = context
  const nonce = randomBytes(16).toString('hex')
  const key = randomBytes(32)
  const folder = `.mendloop-${nonce}`
  const report = `${folder}/report.xml`
  const putBack = await withoutForeignConfiguration(sandbox, tests.files)
  try {
    await writeFresh(context, tests)
    const { tests: paths, named } = tests
    const orders = { files: Object.keys(tests.files), tests: paths, named, report, key: key.toString('hex') }
    const { command, programs = {} } = startOf({ ...orders, nonce: randomBytes(16).toString('hex') }, folder)
    await sandbox.files.write(inFolder(folder, programs))
    const execution = await context.exec(command, {
      signal: context.signal,
      ...(tests.limits !== undefined && { limits: tests.limits }),
    })
    const bytes = await sandbox.files.read(report).catch((error: unknown) => {
      if (MendloopError.is(error, 'FILE_UNAVAILABLE') || MendloopError.is(error, 'PATH_REFUSED'))
        return undefined
      throw error
    })
    return { execution, report: bytes === undefined ? undefined : unsealed(bytes, key) }
  } finally {
    await removed(sandbox.files.remove(folder))
    await putBack()
  }
}

const inFolder = (folder: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))

/** Whatever is there goes first, links and folders included; a file that was read-only before can be replaced. */
async function writeFresh({ sandbox }: VerifyContext, { files }: SharedTests): Promise<void> {
  for (const path of Object.keys(files)) await removed(sandbox.files.remove(path))
  try {
    await sandbox.files.write(files)
  } catch (error) {
    if (!MendloopError.is(error, 'PATH_REFUSED')) throw error
    // A link or a file stands where a folder belongs.
    for (const path of Object.keys(files)) await removed(sandbox.files.remove(path.split('/')[0] ?? path))
    await sandbox.files.write(files)
  }
}

async function removed(removal: Promise<void>): Promise<void> {
  await removal.catch((error: unknown) => {
    if (!MendloopError.is(error)) throw error
  })
}

function unsealed(bytes: Uint8Array, key: Uint8Array): ReportReading {
  const body = bytes.subarray(0, Math.max(0, bytes.length - SEAL_CHARS))
  const seal = SEAL.exec(Buffer.from(bytes.subarray(body.length)).toString('latin1'))?.[1]
  const right = createHmac('sha256', key).update(body).digest()
  if (seal === undefined || !timingSafeEqual(Buffer.from(seal, 'hex'), right))
    return { ok: false, problem: 'it was not written by the runner' }
  return parseJUnit(body)
}
