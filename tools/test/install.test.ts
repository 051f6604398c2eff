// What the launcher does before anything can run: it installs, or says in one sentence why it cannot.
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onPosix } from '../../packages/core/test/helpers/requires.js'
import { isAlive, launch, launchAsOrdinaryUser, place, until } from './helpers/launcher.js'

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

  test.each([
    ['getaddrinfo ENOTFOUND registry.example', 'the npm registry could not be reached'],
    ['EACCES: permission denied, mkdir', 'a folder cannot be written to'],
    ['ENOSPC: no space left on device', 'the disk is full'],
    ['something else', 'the lines above say why'],
  ])('an install that ends with %j shows a few lines and ends in one sentence', async (reason, sentence) => {
    behind()
    const env = { FAKE_NPM: 'refuse', FAKE_REASON: `${'npm error line\n'.repeat(20)}npm error ${reason}` }
    const { status, output } = launch(['tell'], env)
    expect(await status).toBe(9)
    const lines = output().trimEnd().split('\n')
    expect(lines).toHaveLength(7)
    expect(lines.at(-1)).toMatch(/^The dependencies could not be installed: .*\.$/)
    expect(lines.at(-1)).toContain(sentence)
  })

  test('a home that holds no folder for caches makes the install keep its own beside the packages', async () => {
    behind()
    const home = join(place, 'a-file')
    writeFileSync(home, '')
    const env = {
      HOME: home,
      npm_config_cache: '',
      XDG_DATA_HOME: '',
      XDG_CACHE_HOME: '',
      XDG_STATE_HOME: '',
    }
    const { status } = launch(['tell'], env)
    expect(await status).toBe(0)
    expect(calls()).toContain(`cache=${join(realpathSync(place), 'node_modules/.cache/npm')}`)
  })

  test('a clone that cannot be written to is one sentence', async () => {
    behind()
    chmodSync(join(place, 'node_modules'), 0o555)
    const { status, output } = launchAsOrdinaryUser(['tell'])
    expect(await status).toBe(1)
    chmodSync(join(place, 'node_modules'), 0o755)
    expect(output()).toMatch(
      /^The dependencies could not be installed: .*node_modules cannot be written to .*\n$/,
    )
    expect(calls()).toBe('')
  })

  test.runIf(onPosix('signals')).each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
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
