// A small repository in a temporary folder with the real launcher in it, a demo and an npm that do what a test asks for.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const LOCKFILE = 'first document\n---\nsecond document\n'

// Does what its first argument says; tells its id once it is ready for what comes.
const DEMO = `import { writeFileSync } from 'node:fs'
const [what, ...more] = process.argv.slice(2)
if (what === 'tell') console.log(JSON.stringify(more))
if (what === 'exit') process.exit(Number(more[0]))
if (what === 'polite') process.on('SIGTERM', () => process.exit(77))
if (what === 'deaf') for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
if (what === 'cleans-up') process.on('disconnect', () => { writeFileSync('cleaned', ''); process.exit(0) })
if (what !== 'tell') setInterval(() => {}, 1000)
writeFileSync('demo.pid', String(process.pid))
`
// Stands in for npm: starts a helper that outlives it, then installs, refuses or takes for ever.
const NPM = `import { spawn } from 'node:child_process'
import fs from 'node:fs'
fs.appendFileSync('npm.calls', process.argv.slice(2).join(' ') + \` cache=\${process.env.npm_config_cache}\\n\`)
if (process.env.FAKE_NPM === 'refuse') { console.error(process.env.FAKE_REASON ?? 'the network is down'); process.exit(9) }
if (process.env.FAKE_NPM === 'hang') {
  const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  fs.writeFileSync('helper.pid', String(helper.pid))
} else {
  fs.mkdirSync('node_modules/.pnpm', { recursive: true })
  fs.writeFileSync('node_modules/.pnpm/lock.yaml', 'second document\\n')
}
`

/** Folder of the repository that stands in for ours, fresh for each test. */
export let place = ''
let started: ChildProcess[] = []
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'mendloop-launch-'))
  started = []
  for (const tool of [
    'child',
    'guest-programs',
    'install',
    'install-folders',
    'launch',
    'orphans',
    'start',
    'follow-launcher',
  ]) {
    cpSync(join(repository, `tools/${tool}.mjs`), join(place, `tools/${tool}.mjs`))
  }
  mkdirSync(join(place, 'packages/core/src/guest'), { recursive: true })
  mkdirSync(join(place, 'examples/demo'), { recursive: true })
  mkdirSync(join(place, 'node_modules/.pnpm'), { recursive: true })
  symlinkSync(join(repository, 'node_modules/tsx'), join(place, 'node_modules/tsx'))
  writeFileSync(join(place, 'package.json'), '{ "type": "module", "packageManager": "pnpm@12.4.2" }')
  writeFileSync(join(place, 'examples/demo/main.ts'), DEMO)
  writeFileSync(join(place, 'npm-cli.js'), NPM)
  writeFileSync(join(place, 'pnpm-lock.yaml'), LOCKFILE)
  writeFileSync(join(place, 'node_modules/.pnpm/lock.yaml'), 'second document\n')
})
afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
  for (const file of ['demo.pid', 'helper.pid']) {
    const id = idIn(file)
    if (id !== undefined && isAlive(file)) process.kill(id, 'SIGKILL')
  }
  rmSync(place, { recursive: true, force: true })
})

interface Launched {
  readonly child: ChildProcess
  /** Exit status as a shell tells it, or the signal's name. */
  readonly status: Promise<number | string | null>
  output(): string
}

export function launch(
  args: readonly string[],
  env: Record<string, string> = {},
  command?: readonly [string, ...string[]],
): Launched {
  return start(args, env, command)
}

/** A user that is nobody's. */
const ORDINARY = 65_533

/** Starts the launcher as a user to whom the rights of files matter; root becomes one. */
export function launchAsOrdinaryUser(args: readonly string[]): Launched {
  if (process.getuid?.() !== 0) return start(args)
  for (const folder of [place, join(place, 'node_modules')]) chownSync(folder, ORDINARY, ORDINARY)
  return start(args, {}, undefined, { uid: ORDINARY, gid: ORDINARY })
}

function start(
  args: readonly string[],
  env: Record<string, string> = {},
  command?: readonly [string, ...string[]],
  user: SpawnOptions = {},
): Launched {
  const [program, ...before] = command ?? [process.execPath, 'tools/start.mjs']
  const child = spawn(program, [...before, ...args], {
    ...user,
    cwd: place,
    // npm itself may have started this test; the launcher is to find the stand-in.
    env: { ...process.env, npm_execpath: `./npm-cli.js`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const status = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  )
  return { child, status, output: () => output }
}

/** Undefined while the file is not there, or nothing is in it yet: that is no id, and as 0 it would be all of this group. */
function idIn(file: string): number | undefined {
  if (!existsSync(join(place, file))) return undefined
  const id = Number(readFileSync(join(place, file), 'utf8'))
  return id > 0 ? id : undefined
}

export function isAlive(file: string): boolean {
  const id = idIn(file)
  if (id === undefined) return false
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

export async function until(what: string, holds: () => boolean, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms until ${what}`)
    await delay(20)
  }
}

export const demoRuns = (): Promise<void> => until('the demo runs', () => isAlive('demo.pid'))
export const demoIsGone = (): Promise<void> => until('the demo is gone', () => !isAlive('demo.pid'))
