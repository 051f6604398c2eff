// From a command to what the system starts: interpreter, arguments, working directory.
import { randomUUID } from 'node:crypto'
import { chownSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import type { CommandObject } from '@mendloop/core'
import { invalidOption, toWorkspacePath } from '@mendloop/core/adapter'
import { LONGEST_ARGUMENT_BYTES } from './argument-space.js'
import { isInterpreterName, requireInterpreter, resolveInterpreter } from './interpreter.js'
import { fileUnavailable, withinWorkspace } from './open-within.js'
import type { PrivateFolder } from './private-folder.js'
import { errorCode } from './system-error.js'

/** What the system is asked to start. */
export interface Program {
  readonly argv: readonly string[]
  /** Working directory within the workspace; empty for its root. */
  readonly cwd: string
  /** Removes what was made for the start. */
  dispose(): void
}

/** How a command becomes a program. */
export interface ProgramContext {
  /** The command was a string: text for the shell. */
  readonly isShell: boolean
  readonly folder: PrivateFolder
  /** Interpreter that the caller named for Python. */
  readonly python: string | undefined
  /** A PATH of the caller's own, for all programs: it chooses interpreters too. */
  readonly hasOwnPath: boolean
}

/**
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED, SANDBOX_UNAVAILABLE
 */
export async function toProgram(
  { argv, cwd, env }: CommandObject,
  { isShell, folder, python, hasOwnPath }: ProgramContext,
  owner: string,
): Promise<Program> {
  const directory = workingDirectory(folder.workspace, cwd, owner)
  const tooLong = argv.findIndex((argument) => Buffer.byteLength(argument) > LONGEST_ARGUMENT_BYTES)
  if (tooLong !== -1 && isShell) return scriptProgram(folder, argv[tooLong] ?? '', directory)
  if (tooLong !== -1)
    throw invalidOption(
      owner,
      `argv.${tooLong}`,
      `is longer than ${LONGEST_ARGUMENT_BYTES} bytes, the most that the system passes`,
      {
        expected: `at most ${LONGEST_ARGUMENT_BYTES} bytes`,
        received: `${Buffer.byteLength(argv[tooLong] ?? '')} bytes`,
        hint: 'write it to a file with files.write() and name the file, or pass it as stdin',
      },
    )
  const [name = '', ...rest] = argv
  const asItIs = { argv, cwd: directory, dispose: () => undefined }
  // A caller who sets PATH has chosen an interpreter.
  if (!isInterpreterName(name) || env?.['PATH'] !== undefined) return asItIs
  if (name !== 'node' && python !== undefined) {
    requireInterpreter(python)
    return { ...asItIs, argv: [python, ...rest] }
  }
  return hasOwnPath ? asItIs : { ...asItIs, argv: [await resolveInterpreter(name), ...rest] }
}

/** Refuses a variable that the system would not pass on. @throws MendloopError INVALID_OPTION */
export function requirePassable(env: Readonly<Record<string, string>>, owner: string): void {
  for (const [name, value] of Object.entries(env)) {
    const length = Buffer.byteLength(name) + 1 + Buffer.byteLength(value)
    if (length > LONGEST_ARGUMENT_BYTES)
      throw invalidOption(
        owner,
        `env.${name}`,
        `is longer than ${LONGEST_ARGUMENT_BYTES} bytes with its name, the most that the system passes`,
        {
          expected: `at most ${LONGEST_ARGUMENT_BYTES} bytes`,
          received: `${length} bytes`,
          hint: 'write it to a file with files.write() and name the file, or pass it as stdin',
        },
      )
  }
}

/** Shell text that is too long for an argument travels by file, out of the workspace. */
function scriptProgram({ scripts, inside, owner }: PrivateFolder, text: string, cwd: string): Program {
  const name = `command-${randomUUID()}.sh`
  const path = `${scripts}/${name}`
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
  } catch (error) {
    throw fileUnavailable('command', `cannot be handed over (${errorCode(error)})`, error)
  }
  return { argv: ['/bin/sh', `${inside.scripts}/${name}`], cwd, dispose: () => rmSync(path, { force: true }) }
}

function workingDirectory(workspace: string, cwd: string | undefined, owner: string): string {
  if (cwd === undefined || cwd === '' || cwd === '.') return ''
  const path = toWorkspacePath(cwd)
  const stats = withinWorkspace(workspace, path, 'give-up', (address) => {
    try {
      return lstatSync(address, { throwIfNoEntry: false })
    } catch (error) {
      throw fileUnavailable(path, `cannot be entered (${errorCode(error)})`, error)
    }
  })
  if (stats?.isDirectory()) return path
  throw invalidOption(owner, 'cwd', 'must be a folder of the workspace', {
    expected: 'a folder of the workspace',
    received: JSON.stringify(cwd),
    hint: 'files.write() makes the folders of the files it writes',
  })
}
