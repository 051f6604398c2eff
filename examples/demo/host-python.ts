// Asks the python3 on PATH for its version, so that one that is old, broken or hanging is a sentence within seconds.
import { spawn } from 'node:child_process'
import { DemoError } from './demo-error.js'

/** What Python is asked, by flags and in words that Python 2 understands as well. */
export const VERSION_QUESTION = [
  ...['-E', '-s', '-c'],
  'import sys; print("%d.%d.%d" % sys.version_info[:3]); import sqlite3, zipfile',
] as const

/** A version manager's script takes a second on a busy machine; ten are a hang. */
export const ANSWER_DEADLINE_MS = 10_000

const OLDEST = [3, 9] as const
const REMEDY = `Install Python ${OLDEST.join('.')} or later, so that "python3" on PATH starts it.`

/** How a program that was asked ended. */
export interface PythonAnswer {
  readonly ok: boolean
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

/**
 * The version in an answer.
 *
 * @throws DemoError when there is none, or it is too old
 */
export function versionIn(
  { ok, timedOut, stdout, stderr }: PythonAnswer,
  deadlineMs: number = ANSWER_DEADLINE_MS,
): string {
  if (timedOut) throw new DemoError(`python3 did not answer within ${deadlineMs / 1000} s. ${REMEDY}`)
  const version = /^(\d+)\.(\d+)\.\d+$/.exec(stdout.trim())
  if (version !== null) {
    const [major, minor] = [Number(version[1]), Number(version[2])]
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
      throw new DemoError(`python3 is Python ${version[0]}. ${REMEDY}`)
    if (ok) return version[0]
  }
  const said = saidIn(stderr) || saidIn(stdout)
  throw new DemoError(`The program python3 does not work here${said && `; it says: ${said}`}. ${REMEDY}`)
}

/** The first line, or the last one of a traceback, whose first says nothing. */
function saidIn(text: string): string {
  const lines = text.trim().split(/\r\n|\r|\n/)
  const line = (lines[0]?.startsWith('Traceback') ? lines.at(-1) : lines[0]) ?? ''
  return line
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, 200)
    .replace(/\.$/, '')
}

/**
 * Starts the python3 on PATH as it is.
 *
 * @throws DemoError when it cannot be used; the signal's reason when it was aborted
 */
export async function checkHostPython(
  signal: AbortSignal,
  deadlineMs: number = ANSWER_DEADLINE_MS,
): Promise<void> {
  signal.throwIfAborted()
  const answer = await ask(signal, deadlineMs)
  signal.throwIfAborted()
  versionIn(answer, deadlineMs)
}

function ask(signal: AbortSignal, deadlineMs: number): Promise<PythonAnswer> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what a script started goes with it.
    const child = spawn('python3', VERSION_QUESTION, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const said = { stdout: '', stderr: '' }
    const stopWaiting = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
    const settle = (ok: boolean, timedOut: boolean): void => {
      stopWaiting()
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ ok, timedOut, ...said })
    }
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
      settle(false, true)
    }
    const timer = setTimeout(end, deadlineMs)
    signal.addEventListener('abort', end, { once: true })
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] = (said[name] + text).slice(0, 4_000)
      })
    child.once('error', (error: NodeJS.ErrnoException) => {
      stopWaiting()
      reject(
        new DemoError(
          error.code === 'ENOENT'
            ? `There is no python3 on PATH. ${REMEDY}`
            : `The program python3 cannot be started: ${error.message}. ${REMEDY}`,
        ),
      )
    })
    child.once('close', (code) => settle(code === 0, false))
  })
}
