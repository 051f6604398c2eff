// Finds the interpreter behind a name, once: what PATH finds may be a version manager's shell script (120 ms a start).
import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { MendloopError } from '@mendloop/core'
import { startTimer } from '@mendloop/core/adapter'
import { signalGroup } from './descendants.js'

const QUESTION_DEADLINE_MS = 20_000

/** Where a shell looks when there is no PATH. */
const USUAL_PATH = process.platform === 'win32' ? '' : '/usr/local/bin:/usr/bin:/bin'

/** Names that are looked up here instead of on the program's own PATH. */
export type InterpreterName = 'python3' | 'python' | 'node'

/** True for a bare name of an interpreter. */
export const isInterpreterName = (name: string): name is InterpreterName =>
  name === 'python3' || name === 'python' || name === 'node'

const resolved = new Map<InterpreterName, Promise<string>>()

/**
 * The executable file behind `name`, an absolute path; asked for once in the life of this process.
 *
 * @throws MendloopError SANDBOX_UNAVAILABLE when there is none
 */
export function resolveInterpreter(name: InterpreterName): Promise<string> {
  const known = resolved.get(name)
  if (known !== undefined) return known
  const asked = name === 'node' ? resolveNode() : resolvePython(name)
  resolved.set(name, asked)
  // What is missing now may be installed by the next call.
  asked.catch(() => resolved.delete(name))
  return asked
}

async function resolveNode(): Promise<string> {
  // This process already is the right one, unless it is an application with Node inside.
  if (/^node(js)?(\.exe)?$/.test(basename(process.execPath))) return process.execPath
  const found = findOnPath('node')
  if (found === undefined) throw missing('node', 'Install Node from your package manager')
  return isReal(found, 'node') ? found : ask(found, ['-p', 'process.execPath'], 'node')
}

async function resolvePython(name: 'python3' | 'python'): Promise<string> {
  const found = findOnPath(name) ?? findOnPath(name === 'python' ? 'python3' : 'python')
  if (found === undefined)
    throw missing(name, 'Install Python 3 (for example: apt install python3, brew install python)')
  return isReal(found, 'python') ? found : ask(found, ['-c', 'import sys; print(sys.executable)'], name)
}

function findOnPath(name: string): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  return (process.env['PATH'] ?? USUAL_PATH)
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, file))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Refuses an interpreter that was named and is not there. @throws MendloopError SANDBOX_UNAVAILABLE */
export function requireInterpreter(path: string): void {
  if (isExecutable(path)) return
  throw new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): the option "python" names ${JSON.stringify(path)}, which is not an executable file. Name an interpreter, or leave it out to take "python3" on PATH.`,
    { details: { sandbox: 'subprocess', reason: `option "python": no executable file ${path}` } },
  )
}

/** False for scripts and for links to a program of another name: both are a version manager's. */
function isReal(path: string, stem: string): boolean {
  if (!basename(realpathSync(path)).startsWith(stem)) return false
  const descriptor = openSync(path, 'r')
  try {
    const start = Buffer.alloc(2)
    readSync(descriptor, start, 0, 2, 0)
    return start.toString('latin1') !== '#!'
  } finally {
    closeSync(descriptor)
  }
}

async function ask(file: string, question: string[], name: string): Promise<string> {
  try {
    const answer = await answerOf(file, question)
    if (!isAbsolute(answer)) throw new Error(`it answered ${JSON.stringify(answer.slice(0, 100))}`)
    return answer
  } catch (cause) {
    throw missing(name, `"${file}" does not start one; see what "${name} --version" says`, cause)
  }
}

/** What a program prints. Its group ends with it, or at the deadline: such scripts start others. */
export async function answerOf(file: string, question: readonly string[], stdin = ''): Promise<string> {
  const child = spawn(file, question, {
    detached: process.platform !== 'win32',
    windowsHide: true,
    env: withoutPythonSettings(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // It may end without reading.
  child.stdin.on('error', () => undefined).end(stdin)
  const end = (): void => {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
  }
  const cancel = startTimer(QUESTION_DEADLINE_MS, end)
  child.once('exit', end)
  try {
    const [stdout, stderr, how] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<string>((resolve, reject) => {
        child.once('error', reject)
        child.once('exit', (code, signal) => resolve(code === 0 ? '' : (signal ?? `exit code ${code}`)))
      }),
    ])
    if (how !== '') throw Object.assign(new Error(`it ended with ${how}: ${stderr.slice(-500)}`), { stderr })
    return stdout.trim()
  } finally {
    cancel()
  }
}

const missing = (name: string, remedy: string, cause?: unknown): MendloopError<'SANDBOX_UNAVAILABLE'> =>
  new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `There is no interpreter "${name}" to run the program with. ${remedy}.`,
    {
      details: { sandbox: 'subprocess', reason: `no interpreter "${name}"` },
      cause,
    },
  )

/** Folders of the interpreters that are known, so that a shell finds the same ones. */
export async function interpreterFolders(python: string | undefined): Promise<string[]> {
  const files = await Promise.allSettled([
    python ?? resolveInterpreter('python3'),
    resolveInterpreter('node'),
  ])
  return files.flatMap((file) => (file.status === 'fulfilled' ? [dirname(file.value)] : []))
}

/** The host's variables but for those that would make an interpreter another one, or none. */
const withoutPythonSettings = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PYTHON')))
