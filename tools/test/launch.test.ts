// The launcher behind `npm start`: however it is ended, nothing that it started stays behind.
import { type ChildProcess, spawn } from 'node:child_process'
import {
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))
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
fs.appendFileSync('npm.calls', process.argv.slice(2).join(' ') + '\\n')
if (process.env.FAKE_NPM === 'refuse') { console.error('the network is down'); process.exit(9) }
if (process.env.FAKE_NPM === 'hang') {
  const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  fs.writeFileSync('helper.pid', String(helper.pid))
} else {
  fs.mkdirSync('node_modules/.pnpm', { recursive: true })
  fs.writeFileSync('node_modules/.pnpm/lock.yaml', 'second document\\n')
}
`

let place = ''
let started: ChildProcess[] = []
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'mendloop-launch-'))
  started = []
  for (const tool of ['child', 'install', 'launch', 'orphans', 'start', 'follow-launcher']) {
    cpSync(join(repository, `tools/${tool}.mjs`), join(place, `tools/${tool}.mjs`))
  }
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
  for (const file of ['demo.pid', 'helper.pid']) if (isAlive(file)) process.kill(idIn(file), 'SIGKILL')
  rmSync(place, { recursive: true, force: true })
})

interface Launched {
  readonly child: ChildProcess
  /** Exit status as a shell tells it, or the signal's name. */
  readonly status: Promise<number | string | null>
  output(): string
}

function launch(
  args: readonly string[],
  env: Record<string, string> = {},
  command?: readonly [string, ...string[]],
): Launched {
  const [program, ...before] = command ?? [process.execPath, 'tools/start.mjs']
  const child = spawn(program, [...before, ...args], {
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

const idIn = (file: string): number => Number(readFileSync(join(place, file), 'utf8'))

function isAlive(file: string): boolean {
  if (!existsSync(join(place, file))) return false
  try {
    process.kill(idIn(file), 0)
    return true
  } catch {
    return false
  }
}

async function until(what: string, holds: () => boolean, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms until ${what}`)
    await delay(20)
  }
}

const demoRuns = (): Promise<void> => until('the demo runs', () => isAlive('demo.pid'))
const demoIsGone = (): Promise<void> => until('the demo is gone', () => !isAlive('demo.pid'))

test('flags reach the demo, one argument each', async () => {
  const { status, output } = launch(['tell', '--csv', 'two words.csv', '*'])
  expect(await status).toBe(0)
  expect(JSON.parse(output())).toEqual(['--csv', 'two words.csv', '*'])
})

test('the exit status of the demo is that of the launcher', async () => {
  expect(await launch(['exit', '3']).status).toBe(3)
})

describe.runIf(process.platform !== 'win32')('ending', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the demo, and the status says which signal it was', async (signal, expected) => {
    const { child, status } = launch(['wait'])
    await demoRuns()
    child.kill(signal)
    expect(await status).toBe(expected)
    expect(isAlive('demo.pid')).toBe(false)
  })

  test('a demo that ends in its own way on a signal decides the status', async () => {
    const { child, status } = launch(['polite'])
    await demoRuns()
    child.kill('SIGTERM')
    expect(await status).toBe(77)
  })

  test('a deaf demo is killed after the grace time', async () => {
    const { child, status } = launch(['deaf'])
    await demoRuns()
    child.kill('SIGTERM')
    expect(await status).toBe(137)
  })

  test('a launcher that is killed takes the demo with it', async () => {
    const { child } = launch(['wait'])
    await demoRuns()
    child.kill('SIGKILL')
    await demoIsGone()
  })

  test('a demo that cleans up is left to do so when the launcher is killed', async () => {
    const { child } = launch(['cleans-up'])
    await demoRuns()
    child.kill('SIGKILL')
    await until('the demo has cleaned up', () => existsSync(join(place, 'cleaned')))
  })

  test('when whoever started the launcher is killed, both go', async () => {
    const parent = `require('node:child_process').spawn(process.execPath, ['tools/start.mjs', 'wait']); setInterval(() => {}, 1000)`
    const { child } = launch([], {}, [process.execPath, '-e', parent])
    await demoRuns()
    child.kill('SIGKILL')
    await demoIsGone()
  })

  test('a shell between npm and the launcher does not hide that npm was killed', async () => {
    const shell = `'${process.execPath}' tools/start.mjs wait; true`
    const npm = `require('node:child_process').spawn('/bin/sh', ['-c', ${JSON.stringify(shell)}]); setInterval(() => {}, 1000)`
    const { child } = launch([], { npm_lifecycle_event: 'start' }, [process.execPath, '-e', npm])
    await demoRuns()
    child.kill('SIGKILL')
    await demoIsGone()
  })
})

describe('installing', () => {
  const behind = (): void =>
    writeFileSync(join(place, 'pnpm-lock.yaml'), 'first document\n---\nthird document\n')
  const calls = (): string =>
    existsSync(join(place, 'npm.calls')) ? readFileSync(join(place, 'npm.calls'), 'utf8') : ''

  test('nothing is installed when everything is there', async () => {
    expect(await launch(['tell']).status).toBe(0)
    expect(calls()).toBe('')
  })

  test('a fresh clone installs with the pinned pnpm, says so in one line, and goes on', async () => {
    rmSync(join(place, 'node_modules/.pnpm'), { recursive: true })
    const { status, output } = launch(['tell'])
    expect(await status).toBe(0)
    expect(output()).toMatch(
      /^Installing dependencies \(first run only\) …\nDependencies are installed \(\d+ s\)\.\n\n\[\]\n$/,
    )
    expect(calls()).toMatch(/^exec .*-- pnpm@12\.4\.2 install --frozen-lockfile/)
  })

  test('an install that fails shows why, starts nothing and fails', async () => {
    behind()
    const { status, output } = launch(['tell'], { FAKE_NPM: 'refuse' })
    expect(await status).toBe(9)
    expect(output()).toMatch(/the network is down[\s\S]*could not be installed/)
    expect(existsSync(join(place, 'demo.pid'))).toBe(false)
  })

  test.runIf(process.platform !== 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    '%s in the middle leaves nothing of the install behind',
    async (signal) => {
      behind()
      const { child, status } = launch(['tell'], { FAKE_NPM: 'hang' })
      await until('the install runs', () => isAlive('helper.pid'))
      child.kill(signal)
      await status
      await until('the helper of the install is gone', () => !isAlive('helper.pid'))
      expect(existsSync(join(place, 'demo.pid'))).toBe(false)
    },
  )
})
