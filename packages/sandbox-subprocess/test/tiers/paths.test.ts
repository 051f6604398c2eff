import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installationOf, isTooWide, systemRoot } from '../../src/tiers/readable-paths.js'
import { closedFolder, veilsFor } from '../../src/tiers/veil.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mendloop-paths-'))
  chmodSync(path, 0o755)
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** An executable file with everything above it. */
function program(path: string): string {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '', { mode: 0o755 })
  return path
}

test('an installation is the folder above its bin, behind whatever link it was found by', () => {
  const root = folder()
  const real = program(join(root, 'versions/v20/bin/node'))
  symlinkSync(real, join(root, 'node'))
  const expected = { path: join(root, 'versions/v20'), bin: join(root, 'versions/v20/bin') }
  expect(installationOf(real)).toEqual(expected)
  expect(installationOf(join(root, 'node'))).toEqual(expected)
  expect(installationOf(join(root, 'absent'))).toBeUndefined()
})

test('a program that lies alone is let in alone', () => {
  const alone = program(join(folder(), 'tool'))
  expect(installationOf(alone)).toEqual({ path: alone, bin: join(alone, '..') })
})

test('nobody is let into a whole home, nor into all that somebody has installed', () => {
  for (const path of ['/', homedir(), join(homedir(), '.local'), '/opt', '/home', '/tmp'])
    expect(isTooWide(path)).toBe(true)
  expect(isTooWide(join(homedir(), '.pyenv/versions/3.11.7'))).toBe(false)
})

test('what every program finds needs no installation', () => {
  expect(installationOf('/bin/sh')).toBeUndefined()
  const { folders, links } = systemRoot()
  expect([...folders, ...Object.keys(links)]).toContain('/bin')
})

test('the closed folder is the topmost that others may not enter, and a veil shows only what is needed of it', () => {
  const root = folder()
  const tool = program(join(root, 'home/tools/one/bin/tool'))
  const other = program(join(root, 'home/tools/one/lib/x'))
  const prefix = join(root, 'home/tools/one')
  chmodSync(join(root, 'home/tools'), 0o700)
  expect(closedFolder(tool)).toBe(join(root, 'home/tools'))
  chmodSync(join(root, 'home'), 0o700)
  expect(closedFolder(tool)).toBe(join(root, 'home'))
  expect(veilsFor([prefix, other])).toEqual([{ over: join(root, 'home'), shown: [prefix] }])
  expect(veilsFor([join(root)])).toEqual([])
})

test('what is closed itself cannot be shown', () => {
  const root = folder()
  chmodSync(root, 0o700)
  expect(() => veilsFor([root])).toThrow(/may be read by its owner only/)
})
