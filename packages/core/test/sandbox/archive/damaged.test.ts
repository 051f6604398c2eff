import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MendloopError } from '../../../src/contract/errors.js'
import { exportArchive } from '../../../src/sandbox/archive/export-archive.js'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { collectBytes } from '../../../src/sandbox/archive/pieces.js'
import { makeTar, paxRecords } from './make-tar.js'
import { makeZip } from './make-zip.js'
import { memoryFiles } from './memory-files.js'

/** Archives of every kind, with each kind of header in them. */
async function samples(): Promise<Uint8Array[]> {
  const files = await memoryFiles()
  await files.write({ 'a.txt': 'some text, some text', 'ünï/b.bin': Uint8Array.of(0, 1, 2, 255), empty: '' })
  const exported = (['zip', 'tar', 'tar.gz'] as const).map((format) =>
    collectBytes(exportArchive(files, { format })),
  )
  const long = { name: '././@LongLink', type: 'L', content: `${'n'.repeat(120)}\0` }
  const pax = { name: 'x', type: 'x', content: paxRecords({ path: 'p/q', mtime: '1.5' }) }
  return [
    ...(await Promise.all(exported)),
    makeZip([
      { name: 'a.txt', content: 'stored', method: 0 },
      { name: 'f/' },
      { name: 'f/b', content: 'b'.repeat(99) },
    ]),
    makeTar([
      long,
      { name: 's', content: 'long' },
      pax,
      { name: 's', content: 'pax' },
      { name: 'f', type: '5' },
    ]),
  ]
}

test('whatever is done to an archive, it comes in whole or is refused with nothing written', async () => {
  const archives = await samples()
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.nat(255),
    drop: fc.nat(600),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...archives),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('set', 'set', 'set', 'insert', 'drop'),
      async (archive, changes, how) => {
        let bytes = Buffer.from(archive)
        for (const { at, byte, drop } of changes) {
          const position = Math.floor(at * bytes.length)
          const rest = how === 'set' ? position + 1 : how === 'drop' ? position + drop : position
          const middle = how === 'drop' ? Buffer.alloc(0) : Buffer.of(byte)
          bytes = Buffer.concat([bytes.subarray(0, position), middle, bytes.subarray(rest)])
        }
        const files = await memoryFiles()
        try {
          const imported = await importArchive(files, bytes)
          expect(await files.list()).toHaveLength(imported.files.length)
        } catch (error) {
          if (!MendloopError.is(error, 'ARCHIVE_REFUSED')) throw error
          expect(await files.list()).toEqual([])
        }
      },
    ),
    { numRuns: 1500 },
  )
})

test('bytes that only begin like an archive are refused as well', async () => {
  const archives = await samples()
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...archives),
      fc.nat(600),
      fc.uint8Array({ maxLength: 1500 }),
      async (archive, kept, rest) => {
        const files = await memoryFiles()
        const imported = importArchive(files, Buffer.concat([archive.subarray(0, kept), rest]))
        await imported.catch((error: unknown) => {
          if (!MendloopError.is(error, 'ARCHIVE_REFUSED')) throw error
        })
      },
    ),
    { numRuns: 500 },
  )
})
