// Which interpreters a sandbox can have: those that its user can reach, or that a veil can show it.
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { MendloopError } from '@mendloop/core'
import { resolveInterpreter } from '../interpreter.js'
import { findTool, hasCapabilities, isExecutable } from './machine.js'
import { type PythonFacts, pythonFacts } from './python-facts.js'
import { installationOf, isOfSystem, isTooWide, toolchains } from './readable-paths.js'
import { closedFolder, type Veil, veilsFor } from './veil.js'

/** What a sandbox's programs find installed. */
export interface Installations {
  readonly python: PythonFacts
  /** Folders and files outside the system's that may be read and executed. */
  readonly paths: readonly string[]
  /** Folders for PATH. */
  readonly bins: readonly string[]
  /** What has to be put up so that they are seen. */
  readonly veils: readonly Veil[]
}

/** What the caller says of its Python. */
export interface PythonChoice {
  /** Interpreter that the caller named. */
  readonly python?: string | undefined
  /** PATH of all programs, where it is the caller's own. */
  readonly path?: string | undefined
}

/**
 * @param ownUser - programs run as a user of their own, whom closed folders keep out
 * @throws MendloopError SANDBOX_UNAVAILABLE when there is no Python that it can reach
 */
export async function findInstallations(choice: PythonChoice, ownUser: boolean): Promise<Installations> {
  const canSee = (paths: readonly string[]): boolean => !ownUser || isVisible(paths)
  const python = await choosePython(choice, canSee)
  const others = [await nodeInstallation(), ...toolchains()].filter((one) => one !== undefined)
  const reachable = others.filter(({ path }) => path === undefined || canSee([path]))
  const paths = [...pathsOf(python), ...reachable.flatMap(({ path }) => path ?? [])]
  return {
    python,
    paths: [...new Set(paths)],
    bins: [...new Set([dirname(python.file), ...reachable.map(({ bin }) => bin)])],
    veils: ownUser ? veilsFor(paths) : [],
  }
}

/** True when a user without rights of its own can be made to see them all. */
function isVisible(paths: readonly string[]): boolean {
  const closed = paths.filter((path) => closedFolder(path) !== undefined)
  if (closed.length === 0) return true
  return canVeil() && closed.every((path) => closedFolder(path) !== path)
}

const canVeil = (): boolean =>
  hasCapabilities('sysAdmin') && findTool('unshare') !== undefined && findTool('nsenter') !== undefined

/** Folders of an interpreter that the system's do not hold. */
function pathsOf({ file, prefix, basePrefix }: PythonFacts): string[] {
  const real = realpathSync(file)
  const folders = [prefix, basePrefix].filter((path) => !isOfSystem(path) && !isTooWide(path))
  // An interpreter that says it belongs to the whole of some home is let in alone.
  const alone = [file, real].filter((path) => !isOfSystem(path) && !isWithin(path, folders))
  return [...new Set([...folders, ...alone])]
}

const isWithin = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`))

async function choosePython(
  { python: named, path }: PythonChoice,
  canSee: (paths: readonly string[]) => boolean,
): Promise<PythonFacts> {
  const onOwnPath = await pythonOn(path, canSee)
  if (onOwnPath !== undefined) return onOwnPath
  const wanted = await pythonFacts(named ?? (await resolveInterpreter('python3')))
  if (canSee(pathsOf(wanted))) return wanted
  const next = named === undefined ? await nextOnPath(canSee) : undefined
  if (next === undefined) throw unreachable(wanted.file)
  tellOnce(wanted, next)
  return next
}

/**
 * The Python that programs find where PATH is the caller's: the first that they see under the name that it has there.
 * What is in the workspace, they alone can start.
 */
export async function pythonOn(
  path: string | undefined,
  canSee: (paths: readonly string[]) => boolean = () => true,
): Promise<PythonFacts | undefined> {
  for (const folder of path?.split(delimiter) ?? []) {
    const file = join(folder, 'python3')
    if (!isAbsolute(folder) || !isExecutable(file)) continue
    const facts = await pythonFacts(file).catch(() => undefined)
    const paths = facts && pathsOf(facts)
    if (paths && (isOfSystem(file) || isWithin(file, paths)) && canSee(paths)) return facts
  }
  return undefined
}

/** The next interpreter on PATH, or where the system has its own, that can be seen. */
async function nextOnPath(canSee: (paths: readonly string[]) => boolean): Promise<PythonFacts | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  for (const folder of [...folders, '/usr/local/bin', '/usr/bin']) {
    const file = join(folder, 'python3')
    if (!existsSync(file) || !isExecutable(file) || closedFolder(realpathSync(file)) !== undefined) continue
    try {
      const facts = await pythonFacts(file)
      if (canSee(pathsOf(facts))) return facts
    } catch {
      // A script of a version manager, or one that is broken: the next.
    }
  }
  return undefined
}

async function nodeInstallation() {
  try {
    return installationOf(await resolveInterpreter('node'))
  } catch {
    return undefined
  }
}

const told = new Set<string>()

function tellOnce(wanted: PythonFacts, used: PythonFacts): void {
  if (told.has(wanted.file)) return
  told.add(wanted.file)
  process.emitWarning(
    `subprocess(): ${wanted.file} (Python ${wanted.version}) is in a folder that only its owner may enter, and programs ` +
      `run as another user; ${used.file} (Python ${used.version}) is used.`,
    { code: 'MENDLOOP_OTHER_PYTHON' },
  )
}

function unreachable(file: string): MendloopError<'SANDBOX_UNAVAILABLE'> {
  const closed = closedFolder(file) ?? closedFolder(realpathSync(file)) ?? file
  const reason = `${file} is within ${closed}, which only its owner may enter`
  return new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): programs run as a user of their own here, and ${reason}. Open that folder (chmod o+x ${closed}), install Python for all users (apt install python3), run as an ordinary user, or give this process CAP_SYS_ADMIN, util-linux installed, so that the interpreter alone can be shown.`,
    { details: { sandbox: 'subprocess', reason } },
  )
}
