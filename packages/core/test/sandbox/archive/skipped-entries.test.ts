import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { makeTar } from './make-tar.js'
import { memoryFiles } from './memory-files.js'

test('what is skipped counts as unpacked too, so that nobody is kept busy with it', async () => {
  const archive = gzipSync(makeTar([{ name: '__MACOSX/zeros', content: Buffer.alloc(70e6) }]))
  const limits = { totalBytes: 1000, ratio: 2000 }
  await expect(importArchive(await memoryFiles(), archive, { limits })).rejects.toMatchObject({
    code: 'ARCHIVE_REFUSED',
    details: { reason: 'too-large' },
  })
})
