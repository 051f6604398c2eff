// One child process, never outlived by it and never outliving it: signals reach it, and when whoever started us is
// gone the child is ended too. Uses nothing but Node, since it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

const POLL_MS = 250
const GRACE_MS = 3_000
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh'])

/**
 * Runs a program to its end with this terminal, and tells its exit status as a shell would (128 + n for a signal), and
 * whether it was asked to end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ status: number, stopped: boolean }>}
 */
export async function runChild(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'inherit', ...options })
  const watch = endWhenAsked((signal) => child.kill(signal))
  try {
    const status = await exitStatus(child)
    return { status, stopped: watch.askedBy() !== undefined }
  } finally {
    watch.stop()
  }
}

/**
 * Passes on the signals that end us, once each, and ends the child when our own parent is gone.
 *
 * @param {(signal: NodeJS.Signals) => void} kill - signals the child, or its whole group
 * @returns {{ stop: () => void, askedBy: () => NodeJS.Signals | undefined }}
 */
export function endWhenAsked(kill) {
  let lastResort
  let askedBy
  const end = (signal) => {
    askedBy ??= signal
    kill(signal)
    lastResort ??= setTimeout(() => kill('SIGKILL'), GRACE_MS)
  }
  const seen = new Set()
  const forward = (signal) => {
    // A terminal signals the whole group and npm passes the signal on again: once is enough for the child.
    if (seen.has(signal)) return
    seen.add(signal)
    end(signal)
  }
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  for (const signal of signals) process.on(signal, forward)

  const parentIsGone = watchParent()
  const poll = setInterval(() => {
    if (!parentIsGone()) return
    clearInterval(poll)
    end('SIGTERM')
  }, POLL_MS)
  const stop = () => {
    clearInterval(poll)
    clearTimeout(lastResort)
    for (const signal of signals) process.off(signal, forward)
  }
  return { stop, askedBy: () => askedBy }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function exitStatus(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? signalStatus(signal)))
  })
}

/** What a shell gives as the status of a program that a signal ended. @param {NodeJS.Signals} signal */
export const signalStatus = (signal) => 128 + constants.signals[signal]

/**
 * Remembers who started us and answers whether they are gone. Between npm and us there may be a shell, which outlives
 * a killed npm; so the shell's own parent counts as well.
 */
function watchParent() {
  const parent = process.ppid
  const shell = process.env.npm_lifecycle_event !== undefined && SHELLS.has(nameOf(parent))
  const grandparent = shell ? parentOf(parent) : undefined
  // npm may have been killed while Node was still loading us: then a reaper of orphans is our parent already.
  const orphaned = process.env.npm_lifecycle_event !== undefined && isReaper(grandparent ?? parent)
  return () =>
    orphaned || process.ppid !== parent || (grandparent !== undefined && parentOf(parent) !== grandparent)
}

/** @param {number} pid */
function nameOf(pid) {
  return procFile(pid, 'comm')?.trim() ?? ''
}

/** @param {number} pid */
function isReaper(pid) {
  // In a container npm itself may be process 1.
  if (pid === 1) return !/npm|yarn|bun/.test(procFile(pid, 'cmdline') ?? '')
  return nameOf(pid) === 'systemd'
}

/** @param {number} pid */
function parentOf(pid) {
  if (process.platform !== 'linux') return undefined
  // pid (name, which may hold blanks and brackets) state ppid …
  const stat = procFile(pid, 'stat')
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/**
 * @param {number} pid
 * @param {string} file
 */
function procFile(pid, file) {
  if (process.platform !== 'linux') return undefined
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * How to start npm: its own script under this Node when npm started us (no shell, the same on Windows), else by name.
 *
 * @param {readonly string[]} args
 * @returns {{ command: string, args: string[], options: import('node:child_process').SpawnOptions }}
 */
export function npmCommand(args) {
  const script = process.env.npm_execpath
  if (script?.endsWith('npm-cli.js'))
    return { command: process.execPath, args: [script, ...args], options: {} }
  const shell = process.platform === 'win32'
  if (spawnSync('npm', ['--version'], { stdio: 'ignore', shell }).status !== 0) {
    throw new Error(
      'npm was not found. It comes with Node: install Node 20.19 or later from your package manager.',
    )
  }
  return { command: 'npm', args: [...args], options: { shell } }
}
