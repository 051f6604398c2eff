// The launcher behind `npm start`: however it is ended, nothing that it started stays behind.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onPosix } from '../../packages/core/test/helpers/requires.js'
import { demoIsGone, demoRuns, isAlive, launch, place, until } from './helpers/launcher.js'

test('flags reach the demo, one argument each', async () => {
  const { status, output } = launch(['tell', '--csv', 'two words.csv', '*'])
  expect(await status).toBe(0)
  expect(JSON.parse(output())).toEqual(['--csv', 'two words.csv', '*'])
})

test('the exit status of the demo is that of the launcher', async () => {
  expect(await launch(['exit', '3']).status).toBe(3)
})

describe.runIf(onPosix('signals'))('ending', () => {
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

  test('orphans are waited for at the end of a demo, and not when it was asked to end', async () => {
    const stub = `import { writeFileSync } from 'node:fs'\nexport const orphansCollected = async () => writeFileSync('waited', '')\n`
    writeFileSync(join(place, 'tools/orphans.mjs'), stub)
    const { child, status } = launch(['polite'])
    await demoRuns()
    child.kill('SIGTERM')
    await status
    expect(existsSync(join(place, 'waited'))).toBe(false)
    await launch(['exit', '0']).status
    expect(existsSync(join(place, 'waited'))).toBe(true)
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
