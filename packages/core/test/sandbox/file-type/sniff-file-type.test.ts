import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sniffFile, sniffFileType } from '../../../src/sandbox/file-type/sniff-file-type.js'
import { requires } from '../../helpers/requires.js'
import { memoryFiles } from '../archive/memory-files.js'
import { BINARY_FILES, jpeg, png, sqlite } from './sample-files.js'

const UTF8 = { encoding: 'utf-8' }
const bytes = (text: string): Buffer => Buffer.from(text)

describe('a binary file is known by its content', () => {
  test.each(BINARY_FILES.map((file, index) => [index, file[3], file] as const))(
    '%i: %s',
    (_index, _extension, file) => {
      const [content, mime, kind, extension, size] = file
      const expected = {
        mime,
        kind,
        extension,
        ...(size && { dimensions: { width: size[0], height: size[1] } }),
      }
      expect(sniffFileType(content)).toEqual(expected)
      // Neither a wrong name nor a missing end changes what the bytes say.
      expect(sniffFileType(content, 'report.csv')).toEqual(expected)
      for (let length = 0; length < Math.min(content.length, 300); length++)
        expect(sniffFileType(content.subarray(0, length)).mime).toMatch(/^\w+\/[\w.+-]+$/)
    },
  )

  test.runIf(requires('python3'))('a database that SQLite wrote', () => {
    const database = { mime: 'application/vnd.sqlite3', kind: 'database', extension: 'sqlite' }
    expect(sniffFileType(sqlite())).toEqual(database)
    expect(sniffFileType(sqlite(), 'shop.db')).toEqual({ ...database, extension: 'db' })
  })

  test('a name that means the same format is kept', () => {
    expect(sniffFileType(jpeg(1, 1), 'photo.JPEG').extension).toBe('jpeg')
    expect(sniffFileType(jpeg(1, 1), 'photo.png').extension).toBe('jpg')
  })

  test('what nobody knows keeps its extension and no more', () => {
    const unknown = { mime: 'application/octet-stream', kind: 'binary' }
    expect(sniffFileType(Uint8Array.of(0, 1, 2, 3, 255), 'model.PKL')).toEqual({
      ...unknown,
      extension: 'pkl',
    })
    expect(sniffFileType(Uint8Array.of(0, 1, 2, 3, 255), 'fake.png')).toEqual({
      ...unknown,
      extension: 'png',
    })
    expect(sniffFileType(Buffer.alloc(1024))).toEqual({ ...unknown, extension: '' })
  })
})

describe('text is known by what it says of itself, then by its name, then by its looks', () => {
  test.each([
    ['{"a": [1, 2]}', '', 'application/json', 'json'],
    ['[1, 2, 3]', 'data.txt', 'application/json', 'json'],
    ['{"a": 1}\n{"a": 2}\n', '', 'application/x-ndjson', 'jsonl'],
    ['{"cells": [], "nbformat": 4}', 'a.ipynb', 'application/x-ipynb+json', 'ipynb'],
    ['{not json}', 'a.json', 'text/plain', 'txt'],
    ['<!DOCTYPE html>\n<p>x', '', 'text/html', 'html'],
    ['<!-- c --><html lang="en">', '', 'text/html', 'html'],
    ['<?xml version="1.0"?>\n<note/>', '', 'application/xml', 'xml'],
    ['<div>part</div>', 'part.html', 'text/html', 'html'],
    ['#!/usr/bin/env python3\nprint(1)', 'tool', 'text/x-python', 'py'],
    ['#!/usr/bin/env -S node --flag\n', '', 'text/javascript', 'js'],
    ['#!/bin/bash\necho', '', 'text/x-shellscript', 'sh'],
    ['import os\n\nprint(os.name)\n', '', 'text/x-python', 'py'],
    ['def f(a, b=(1, 2)) -> int:\n    return 1\n', '', 'text/x-python', 'py'],
    ['export const a = 1\n', '', 'text/javascript', 'js'],
    ['a,b\n1,"x, y"\n3,4\n', '', 'text/csv', 'csv'],
    ['a;b\n1,5;2\n3,5;4\n', '', 'text/csv', 'csv'],
    ['a\tb\n1\t2\n', '', 'text/tab-separated-values', 'tsv'],
    ['one column only', 'one.csv', 'text/csv', 'csv'],
    ['# Title\n', 'README.md', 'text/markdown', 'md'],
    ['interface A {}', 'a.ts', 'text/x-typescript', 'ts'],
    ['Dear reader,\nthis is a letter, and not a table.\n', '', 'text/plain', 'txt'],
    ['just text', 'a.constructor', 'text/plain', 'txt'],
    ['just text', 'fake.png', 'text/plain', 'txt'],
    ['MZ is how this sentence begins', 'a.exe', 'text/plain', 'txt'],
    ['\x1b[31mred\x1b[0m\n', 'run.log', 'text/plain', 'log'],
    ['10 %\b\b\b\b20 %\x07\n', 'run.log', 'text/plain', 'log'],
    ['page one\n\x0bpage two\n', '', 'text/plain', 'txt'],
    // Words with which binary files begin.
    ['GIF89a is a format of pictures.\n', '', 'text/plain', 'txt'],
    ['ID3 tags are read here.\n', 'notes.md', 'text/markdown', 'md'],
    ['PAR1,PAR2\n1,2\n3,4\n', 'golf.csv', 'text/csv', 'csv'],
    ['The ftypisom is at 4.', '', 'text/plain', 'txt'],
    ['OTTO was a king.', '', 'text/plain', 'txt'],
  ])('%j as %j is %s', (text, name, mime, extension) => {
    expect(sniffFileType(bytes(text), name)).toEqual({ mime, kind: 'text', extension, ...UTF8 })
  })

  test('a drawing is a picture in text, and its size is in its attributes or its view', () => {
    const svg = { mime: 'image/svg+xml', kind: 'image', extension: 'svg', ...UTF8 }
    const drawing = '<?xml version="1.0"?>\n<!-- made -->\n<svg xmlns="x" width="12.5px" height="7">'
    expect(sniffFileType(bytes(drawing))).toEqual({ ...svg, dimensions: { width: 12.5, height: 7 } })
    const viewed = sniffFileType(bytes('<svg viewBox="0 0 30 40"></svg>'))
    expect(viewed).toEqual({ ...svg, dimensions: { width: 30, height: 40 } })
    expect(sniffFileType(bytes('<svg width="100%">'))).toEqual(svg)
  })

  test('the beginning of a long JSON, cut in a character, is still JSON', () => {
    const long = bytes(`{"words": ["${'ü'.repeat(40_000)}"]}`)
    expect(sniffFileType(long)).toMatchObject({ mime: 'application/json', ...UTF8 })
    expect(sniffFileType(bytes(`[${'1,'.repeat(60_000)}1]`))).toMatchObject({ mime: 'application/json' })
  })
})

test('an encoding is told', () => {
  const encodingOf = (content: Uint8Array) => sniffFileType(content, 'a.txt').encoding
  expect(encodingOf(bytes('plain'))).toBe('utf-8')
  expect(encodingOf(bytes('\ufeffmarked'))).toBe('utf-8')
  expect(encodingOf(bytes('世界'.repeat(9)).subarray(0, 25))).toBe('utf-8')
  expect(encodingOf(Buffer.from('\ufeffmarked 世界 🎉', 'utf16le'))).toBe('utf-16le')
  expect(encodingOf(Buffer.from('\ufeffmarked 🎉', 'utf16le').subarray(0, -2))).toBe('utf-16le')
  expect(encodingOf(Buffer.from('\ufeffmarked', 'utf16le').swap16())).toBe('utf-16be')
  expect(encodingOf(Buffer.from('not marked', 'utf16le'))).toBe('utf-16le')
  expect(encodingOf(Buffer.from('not marked', 'utf16le').swap16())).toBe('utf-16be')
  expect(encodingOf(Buffer.from('Größe: 5 m²', 'latin1'))).toBe('latin1')
  expect(encodingOf(Buffer.from([0x41, 0x42, 0x43, 0x80, 0x93]))).toBeUndefined()
  expect(encodingOf(Buffer.from([0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x80]))).toBe('latin1')
})

test('an empty file is empty, whatever its name', () => {
  expect(sniffFileType(new Uint8Array(0), 'a.png')).toEqual({
    mime: 'application/x-empty',
    kind: 'empty',
    extension: 'png',
  })
})

test('no bytes at all make it throw, and no name', () => {
  const starts = BINARY_FILES.map(([content]) => content.subarray(0, 64))
  const start = fc.constantFrom(new Uint8Array(0), ...starts)
  fc.assert(
    fc.property(
      start,
      fc.nat(64),
      fc.uint8Array({ maxLength: 900 }),
      fc.string(),
      (head, kept, rest, name) => {
        const { mime, kind } = sniffFileType(Buffer.concat([head.subarray(0, kept), rest]), name)
        expect(mime).toContain('/')
        expect(kind).not.toBe('')
      },
    ),
    { numRuns: 2000 },
  )
  expect(() => sniffFileType('text' as unknown as Uint8Array)).toThrow(/must be a Uint8Array/)
})

test('text made to be slow to look at is looked at fast', () => {
  const started = performance.now()
  for (const unit of [`def a(${'):('.repeat(20)}`, '<svg ', '<!--', '{"a', '#!/', 'import ', '"', ',', '\t'])
    sniffFileType(bytes(unit.repeat(65_536 / unit.length)))
  expect(performance.now() - started).toBeLessThan(3000)
})

test('a file of a workspace is told by its first bytes alone', async () => {
  const files = await memoryFiles()
  await files.write({ 'plot.bin': png(2, 2) })
  const ranges: number[] = []
  const watched = {
    ...files,
    read: () => Promise.reject(new Error('the whole file was read')),
    readRange: async (path: string, range: { offset: number; length: number }) => {
      ranges.push(range.length)
      return (await files.read(path)).slice(range.offset, range.offset + range.length)
    },
  }
  expect(await sniffFile(watched, 'plot.bin')).toMatchObject({ mime: 'image/png' })
  expect(ranges).toEqual([65_536])
  await expect(sniffFile(files, 'gone')).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
})
