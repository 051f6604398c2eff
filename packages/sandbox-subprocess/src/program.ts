// From a command to what the system starts: interpreter, arguments, working directory.
import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import type { CommandObject } from '@mendloop/core'
import { invalidOption, toWorkspacePath } from '@mendloop/core/adapter'
import { isInterpreterName, resolveInterpreter } from './interpreter.js'
import { withinWorkspace } from './open-within.js'
import type { PrivateFolder } from './private-folder.js'

/** MAX_ARG_STRLEN of Linux: 32 pages for one argument, its NUL included. */
const LONGEST_ARGUMENT_BYTES = 128 * 1024 - 1

/** What the system is asked to start. */
export interface Program {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Removes what was made for the start. */
  dispose(): void
}

let scripts = 0

/**
 * @param isShell - the command was a string: text for the shell
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED, SANDBOX_UNAVAILABLE
 */
export async function toProgram(
  { argv, cwd, env }: CommandObject,
  { isShell, folder, python }: { isShell: boolean; folder: PrivateFolder; python: string | undefined },
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
  // A caller who sets PATH has chosen an interpreter.
  if (!isInterpreterName(name) || env?.['PATH'] !== undefined)
    return { argv, cwd: directory, dispose: () => undefined }
  const file = name !== 'node' && python !== undefined ? python : await resolveInterpreter(name)
  return { argv: [file, ...rest], cwd: directory, dispose: () => undefined }
}

/** Shell text that is too long for an argument travels by file, out of the workspace. */
function scriptProgram({ root }: PrivateFolder, text: string, cwd: string): Program {
  const path = `${root}/command-${++scripts}.sh`
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  return { argv: ['/bin/sh', path], cwd, dispose: () => rmSync(path, { force: true }) }
}

function workingDirectory(workspace: string, cwd: string | undefined, owner: string): string {
  if (cwd === undefined || cwd === '' || cwd === '.') return workspace
  const path = toWorkspacePath(cwd)
  const stats = withinWorkspace(workspace, path, 'give-up', (address) =>
    lstatSync(address, { throwIfNoEntry: false }),
  )
  if (stats?.isDirectory()) return `${workspace}/${path}`
  throw invalidOption(owner, 'cwd', 'must be a folder of the workspace', {
    expected: 'a folder of the workspace',
    received: JSON.stringify(cwd),
    hint: 'files.write() makes the folders of the files it writes',
  })
}
