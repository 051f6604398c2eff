import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFilePiece } from '../../../src/sandbox/file-type/file-piece.js'
import { hexDump } from '../../../src/sandbox/file-type/hex-dump.js'
import { memoryFiles } from '../archive/memory-files.js'

test('pieces of text put together are the text, in whatever pieces it is read', async () => {
  const files = await memoryFiles()
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.integer({ min: 4, max: 60 }),
      async (text, length) => {
        await files.write({ 'a.txt': text })
        let read = ''
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const piece: Awaited<ReturnType<typeof readFilePiece>> = await readFilePiece(files, 'a.txt', {
            offset,
            length,
          })
          read += piece.content
          expect(piece.offset).toBe(offset)
          offset = piece.nextOffset
        }
        expect(read).toBe(Buffer.from(text).toString())
      },
    ),
  )
})

test('text that starts in the middle of a character starts with the next one', async () => {
  const files = await memoryFiles()
  await files.write({ 'a.txt': '世界!' })
  expect(await readFilePiece(files, 'a.txt', { offset: 1, length: 100 })).toEqual({
    as: 'text',
    content: '界!',
    offset: 3,
    length: 4,
    sizeBytes: 7,
  })
})

test('a piece has bytes, or a hex dump that counts from the start of the file', async () => {
  const files = await memoryFiles()
  await files.write({ 'a.bin': Uint8Array.from({ length: 40 }, (_, index) => index + 50) })
  const hex = await readFilePiece(files, 'a.bin', { offset: 16, length: 20, as: 'hex' })
  expect(hex).toMatchObject({ offset: 16, length: 20, sizeBytes: 40, nextOffset: 36 })
  expect(hex.content).toBe(
    '00000010  42 43 44 45 46 47 48 49  4a 4b 4c 4d 4e 4f 50 51  |BCDEFGHIJKLMNOPQ|\n' +
      '00000020  52 53 54 55                                       |RSTU|\n',
  )
  const bytes = await readFilePiece(files, 'a.bin', { offset: 38, length: 99, as: 'bytes' })
  expect(bytes).toEqual({ as: 'bytes', content: Uint8Array.of(88, 89), offset: 38, length: 2, sizeBytes: 40 })
})

test('what is no ASCII is a dot in a dump, and nothing gives no line', () => {
  expect(hexDump(Uint8Array.of(0, 31, 32, 126, 127, 255))).toBe(
    '00000000  00 1f 20 7e 7f ff                                 |.. ~..|\n',
  )
  expect(hexDump(new Uint8Array(0))).toBe('')
})

test('a piece is capped, empty beyond the end, and refused when it is none', async () => {
  const files = await memoryFiles()
  await files.write({ large: new Uint8Array(100_000), small: 'abc' })
  const capped = await readFilePiece(files, 'large', { length: 1e9, as: 'bytes' })
  expect(capped).toMatchObject({ length: 65_536, nextOffset: 65_536, sizeBytes: 100_000 })
  const beyond = await readFilePiece(files, 'small', { offset: 9 })
  expect(beyond).toEqual({ as: 'text', content: '', offset: 9, length: 0, sizeBytes: 3 })
  for (const options of [{ offset: -1 }, { offset: 0.5 }, { length: 0 }, { as: 'base64' as 'hex' }])
    await expect(readFilePiece(files, 'small', options)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  await expect(readFilePiece({ files } as never, 'small')).rejects.toThrow('give its files, sandbox.files')
  await expect(readFilePiece(files, 'gone')).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  await expect(readFilePiece(files, '../x')).rejects.toMatchObject({ code: 'PATH_REFUSED' })
})
