import { lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { exportArchive, importArchive } from '@mendloop/core'
import { memorySandbox } from '@mendloop/core/testing'
import { expect, test } from 'vitest'
import { subprocess } from '../src/index.js'

test('an import refused for a folder or a link in its way leaves both where they are', async () => {
  const source = await memorySandbox().create()
  await source.files.write({ 'a.txt': 'new', taken: 'x' })
  const sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create()
  try {
    await sandbox.files.write({ 'a.txt': 'old' })
    const folder = join(sandbox.workdir, 'taken')
    mkdirSync(folder)
    symlinkSync('nowhere', join(folder, 'link'))
    const refused = importArchive(sandbox.files, exportArchive(source.files))
    await expect(refused).rejects.toMatchObject({ code: 'PATH_REFUSED', details: { path: 'taken' } })
    expect(lstatSync(folder).isDirectory()).toBe(true)
    expect(readlinkSync(join(folder, 'link'))).toBe('nowhere')
    await sandbox.files.remove('taken')
    symlinkSync('nowhere', folder)
    await expect(importArchive(sandbox.files, exportArchive(source.files))).rejects.toThrow(
      /is a link already/,
    )
    expect(readlinkSync(folder)).toBe('nowhere')
    expect(await sandbox.files.readText('a.txt')).toBe('old')
  } finally {
    await sandbox.close()
    await source.close()
  }
})
