// Brings node_modules up to the lockfile with the pnpm that package.json names; npm fetches that pnpm on first use, into
// its cache. Nothing is installed globally. An install that is interrupted leaves no process behind.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endWhenAsked, exitStatus, npmCommand, signalStatus } from './child.mjs'
import { installEnvironment, whatIsNotWritable } from './install-folders.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Of what npm and pnpm said, when they failed. */
const SHOWN_LINES = 5

/**
 * What makes npm run the pinned pnpm.
 *
 * @param {readonly string[]} args - for pnpm
 */
export function pnpmCommand(args) {
  const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return npmCommand(['exec', '--yes', '--prefer-offline', '--', packageManager, ...args])
}

/**
 * Installs when something is missing or behind the lockfile; otherwise returns at once.
 *
 * @returns {Promise<number>} exit status: 0, or what to end with after the reason was printed
 */
export async function ensureInstalled() {
  if (isInstalled()) return 0
  const closed = whatIsNotWritable(root)
  if (closed !== undefined) {
    console.error(
      `The dependencies could not be installed: ${closed} cannot be written to by this user. Make it writable, or copy this folder to a place that is, and run the command again.`,
    )
    return 1
  }
  const first = !existsSync(`${root}node_modules/.pnpm`)
  console.error(first ? 'Installing dependencies (first run only) …' : 'Updating dependencies …')
  const startedAt = Date.now()
  const { status, output } = await runInstall()
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  if (status === 0) console.error(`Dependencies are installed (${seconds} s).\n`)
  else if (status < 128) {
    const last = output.split('\n').filter(isTelling).slice(-SHOWN_LINES)
    for (const line of last) console.error(`  ${line}`)
    console.error(`The dependencies could not be installed: ${likelyCause(output)}`)
  }
  return status
}

/** What the installer's words point to, and what to do; the first that fits. */
const CAUSES = [
  [/ENOSPC|EDQUOT/, 'the disk is full. Free some space and run the command again.'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPROTO|SOCKET|UND_ERR|FETCH_FAIL|CERT|certificate|[Nn]etwork|hang up/,
    'the npm registry could not be reached. Check the network, and the proxy and the registry in npm\'s settings ("npm config list"), and run the command again.',
  ],
  [
    /\bE(?:401|403|404|5\d\d)\b|ERR_PNPM_FETCH_/,
    'the npm registry refused a package. Check the registry in npm\'s settings ("npm config list") and run the command again.',
  ],
  [
    /EACCES|EPERM|EROFS/,
    'a folder cannot be written to, most likely a cache of npm in the home folder or node_modules here. Make it writable (the lines above name it) and run the command again.',
  ],
  [/LOCKFILE/, 'pnpm-lock.yaml and the package.json files do not agree; take both from the same commit.'],
]

/** Leaves out blank lines, stacks, and the fields that Node prints after an error. @param {string} line */
const isTelling = (line) =>
  !/^(?:npm error)?\s*(?:$|at |[{}\]],?$|\w+: .*,?$|A complete log of this run)/.test(line) ||
  /^(?:npm error )?\w*Error: /.test(line)

/** @param {string} output */
function likelyCause(output) {
  const found = CAUSES.find(([pattern]) => pattern.test(output))
  return found?.[1] ?? 'the lines above say why. Mend it and run the command again.'
}

/** pnpm keeps a copy of what it has installed: the last document of the lockfile, word for word. */
function isInstalled() {
  try {
    const wanted = readFileSync(`${root}pnpm-lock.yaml`, 'utf8')
      .split(/^---\r?\n/m)
      .pop()
    return readFileSync(`${root}node_modules/.pnpm/lock.yaml`, 'utf8') === wanted
  } catch {
    return false
  }
}

async function runInstall() {
  const { command, args, options } = pnpmCommand(['install', '--frozen-lockfile', '--reporter=append-only'])
  // CI=1 keeps pnpm from asking questions and from moving the lockfile.
  const env = { ...installEnvironment(), CI: '1' }
  const progress = showProgress()
  const group = startGroup(command, args, { ...options, cwd: root, env })
  group.child.stdout.on('data', progress.read)
  group.child.stderr.on('data', progress.read)
  const watch = endWhenAsked(group.kill)
  try {
    const status = await exitStatus(group.child)
    const askedBy = watch.askedBy()
    return { status: askedBy === undefined ? status : signalStatus(askedBy), output: progress.output() }
  } finally {
    watch.stop()
    group.release()
    progress.stop()
  }
}

/**
 * Starts a program in a process group of its own, which a tiny shell kills when we die in whatever way: its standard
 * input is a pipe from us, and a pipe ends with its writer. Nothing runs before that shell knows the group.
 */
function startGroup(command, args, options) {
  if (process.platform === 'win32') {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    return { child, kill: (signal) => child.kill(signal), release: () => {} }
  }
  const wait = 'read go || exit 1; exec "$@" </dev/null'
  const child = spawn('/bin/sh', ['-c', wait, 'sh', command, ...args], {
    ...options,
    detached: true,
    stdio: 'pipe',
  })
  const watch = 'read word && [ "$word" = done ] && exit 0; kill -TERM "-$1"; sleep 1; kill -KILL "-$1"'
  const guard = spawn('/bin/sh', ['-c', watch, 'sh', String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.once('spawn', () => child.stdin.end('go\n'))
  for (const pipe of [child.stdin, guard.stdin]) pipe.on('error', () => {})
  return {
    child,
    kill: (signal) => {
      try {
        process.kill(-child.pid, signal)
      } catch {
        // The group has ended by itself.
      }
    },
    release: () => guard.stdin.end('done\n'),
  }
}

/** Keeps what the installer says for the case that it fails; on a terminal, shows how far it has come. */
function showProgress() {
  const startedAt = Date.now()
  let output = ''
  let step = 'fetching the package manager'
  const timer = process.stderr.isTTY ? setInterval(draw, 200) : undefined
  function draw() {
    const seconds = Math.floor((Date.now() - startedAt) / 1000)
    process.stderr.write(`\r\u001b[2K  ${step} (${seconds} s)`)
  }
  return {
    read: (/** @type {Buffer} */ chunk) => {
      output += chunk
      const last = [...output.matchAll(/^Progress: resolved (\d+).*?added (\d+)/gm)].pop()
      if (last !== undefined) step = `${last[2]} of ${last[1]} packages`
    },
    output: () => output,
    stop: () => {
      clearInterval(timer)
      if (timer !== undefined) process.stderr.write('\r\u001b[2K')
    },
  }
}
