// From what a caller asks for to a program that can be started: everything is checked, merged and made ready.
import type { Command, ExecOptions, Limits } from '@mendloop/core'
import { toCommandObject } from '@mendloop/core/adapter'
import { requireRoom } from './argument-space.js'
import type { Engine } from './engine.js'
import { ensureGuardian } from './guardian.js'
import { mergeLimits, requireEnforceable, requireSameDisk, requireStartable } from './limits.js'
import { restorePrivateFolder } from './private-folder.js'
import { type Program, requirePassable, toProgram } from './program.js'

/** What a sandbox is made of. */
export interface SubprocessSandboxParts {
  readonly id: string
  readonly engine: Engine
  /** What every program starts from. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  readonly killGraceMs: number
  /** The caller's variables have a PATH, which then chooses interpreters that are not named. */
  readonly hasOwnPath: boolean
  /** The caller named an interpreter for Python. */
  readonly namesPython: boolean
  readonly signal: AbortSignal | undefined
}

/** A program that can be started, with all it is to have. */
export interface Prepared {
  readonly program: Program
  /** Who asked, for errors. */
  readonly owner: string
  readonly limits: Limits
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | Uint8Array | undefined
  /** Why nothing can be started. */
  readonly lost?: string | undefined
}

/** @throws MendloopError for what is no command, cannot be passed on, or asks for what is not enforced */
export async function prepareExecution(
  command: Command,
  options: ExecOptions,
  owner: string,
  { engine, env: environment, limits: own, hasOwnPath, namesPython }: SubprocessSandboxParts,
): Promise<Prepared> {
  const { isolation } = engine.guarantees
  requireEnforceable(options.limits, isolation, engine.unenforced)
  requireStartable(options.limits, owner)
  requireSameDisk(options.limits?.diskBytes, own.diskBytes, isolation)
  const object = toCommandObject(command, owner)
  const env = { ...environment, ...object.env }
  requirePassable(env, owner)
  requireRoom(object.argv, env, owner)
  // Somebody may have killed it since the sandbox was opened.
  ensureGuardian()
  const lost = await makeReady(engine)
  const { folder } = engine
  const python = hasOwnPath && !namesPython ? undefined : engine.python
  const program =
    lost === undefined
      ? await toProgram(object, { folder, python, hasOwnPath, isShell: typeof command === 'string' }, owner)
      : { argv: [], cwd: '', dispose: () => undefined }
  return { program, owner, limits: mergeLimits(own, options.limits), env, stdin: object.stdin, lost }
}

/** @returns undefined, or why no program can be started: an end of a sentence that begins with "the program" */
export const makeReady = async (engine: Engine): Promise<string | undefined> =>
  (await engine.prepare()) ?? restorePrivateFolder(engine.folder)
