// Values of the local variables where a program fails: it runs once more, in a session that tells them.
import type { Candidate } from '../contract/candidate.js'
import type { Limits, Sandbox } from '../contract/sandbox.js'
import type { Failure } from '../contract/verify.js'
import { openSession } from '../guest/session/open-session.js'
import type { CellError, CellFrame, SessionLanguage } from '../guest/session/session.js'

/** A program that fails, and what it is given. */
export interface FailingProgram {
  /** Name of the language. */
  readonly language: string
  /** The program; its files, and those it reads, are in the workspace. */
  readonly candidate: Candidate
  /** How it fails. */
  readonly failure: Failure
  readonly args?: readonly string[]
  readonly stdin?: string | Uint8Array
  readonly limits?: Partial<Limits>
  /** Time for the run, in milliseconds. */
  readonly wallMs: number
  readonly signal?: AbortSignal
}

/** Makes the surroundings of the program those it has when it is run by itself; leaves no name behind. */
const PREPARATIONS: Partial<Record<SessionLanguage, (program: FailingProgram, workdir: string) => string>> = {
  python: ({ candidate, args = [], stdin = '' }, workdir) => {
    const entry = `${workdir}/${candidate.entry}`
    const given = Buffer.from(stdin).toString('base64')
    return [
      'import base64, io, sys',
      `__file__ = ${JSON.stringify(entry)}`,
      `sys.argv = ${JSON.stringify([candidate.entry, ...args])}`,
      `sys.path.insert(0, ${JSON.stringify(entry.replace(/\/[^/]*$/u, ''))})`,
      `sys.stdin = io.TextIOWrapper(io.BytesIO(base64.b64decode("${given}")), "utf-8")`,
      'del base64, io, sys',
    ].join('\n')
  },
  javascript: ({ candidate, args = [] }, workdir) =>
    `process.argv.splice(1, Infinity, ...${JSON.stringify([`${workdir}/${candidate.entry}`, ...args])});`,
}

/**
 * Runs a program again that failed with an exception, and reads the local variables of the function that failed.
 *
 * @returns undefined where that cannot be told: another language than Python or JavaScript, a sandbox that cannot
 * `spawn`, a program that does not fail there any more
 * @throws what opening a session in a lost sandbox throws
 */
export async function localValues(
  sandbox: Sandbox,
  program: FailingProgram,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { language, candidate, failure, limits, wallMs, signal } = program
  const prepare = Object.hasOwn(PREPARATIONS, language)
    ? PREPARATIONS[language as SessionLanguage]
    : undefined
  const code = candidate.files[candidate.entry]
  if (prepare === undefined || code === undefined || sandbox.spawn === undefined) return undefined
  const options = { cellMs: wallMs, ...(signal && { signal }) }
  const session = await openSession(sandbox, {
    language,
    locals: true,
    ...options,
    ...(limits !== undefined && { limits: { ...limits, wallMs: 2 * wallMs } }),
  })
  try {
    await session.run(prepare(program, sandbox.workdir))
    const { error } = await session.run(code, { name: candidate.entry })
    const frame = error && frameOf(error, failure, sandbox.workdir)
    const values = Object.entries(frame?.locals ?? {}).filter(([name]) => !/^__\w*__$/u.test(name))
    return values.length === 0 ? undefined : Object.fromEntries(values)
  } finally {
    await session.close()
  }
}

/** The frame that `failure` points at, if this is the same failure. */
function frameOf(error: CellError, { message, location }: Failure, workdir: string): CellFrame | undefined {
  if (location === undefined || firstLine(message) !== firstLine(`${error.name}: ${error.message}`))
    return undefined
  return error.frames.findLast(
    ({ path, line }) =>
      line === location.line && (path === location.path || path === `${workdir}/${location.path}`),
  )
}

const firstLine = (text: string): string => text.split('\n')[0]?.trim() ?? ''
