import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FileEntry } from '../../../src/contract/workspace-files.js'
import { exportArchive } from '../../../src/sandbox/archive/export-archive.js'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { collectBytes } from '../../../src/sandbox/archive/pieces.js'
import { zipPieces } from '../../../src/sandbox/archive/write-zip.js'
import { requires } from '../../helpers/requires.js'
import { memoryFiles } from './memory-files.js'

const CONTENTS: Readonly<Record<string, Uint8Array>> = {
  empty: new Uint8Array(0),
  'binary.bin': Uint8Array.from({ length: 70_000 }, (_, index) => (index * index) >> 3),
  'text.csv': Buffer.from('a,b\n'.repeat(30_000)),
  'ünï/✓ 世界.txt': Buffer.from('non-ASCII'),
  [`${'deep/'.repeat(12)}${'n'.repeat(180)}.txt`]: Buffer.from('long'),
}
const HASHES = Object.fromEntries(
  Object.entries(CONTENTS).map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]),
)

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'archive-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const python = (script: string, ...args: string[]): string =>
  execFileSync('python3', ['-c', script, ...args], { encoding: 'utf8', maxBuffer: 1e8 })

const READ = `
import hashlib, json, sys, tarfile, zipfile
name, found = sys.argv[1], {}
if name.endswith('.zip'):
    with zipfile.ZipFile(name) as archive:
        assert archive.testzip() is None
        for info in archive.infolist():
            found[info.filename] = hashlib.sha256(archive.read(info)).hexdigest()
else:
    with tarfile.open(name) as archive:
        for info in archive:
            assert info.isreg() and info.mode == 0o644, info
            found[info.name] = hashlib.sha256(archive.extractfile(info).read()).hexdigest()
print(json.dumps(found))
`

const WRITE = `
import io, json, os, sys, tarfile, zipfile
kind, name = sys.argv[1:]
contents = {path: bytes.fromhex(data) for path, data in json.load(open(name + '.json')).items()}

class Pipe:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): pass

if kind.startswith('zip'):
    out = open(name, 'wb')
    method = zipfile.ZIP_STORED if kind == 'zip-stored' else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(Pipe(out) if kind == 'zip-piped' else out, 'w', method) as archive:
        for path, data in contents.items():
            info = zipfile.ZipInfo(path)
            info.compress_type = method
            with archive.open(info, 'w', force_zip64=kind == 'zip-64') as file:
                file.write(data)
else:
    formats = {'tar-ustar': tarfile.USTAR_FORMAT, 'tar-gnu': tarfile.GNU_FORMAT, 'tar-pax': tarfile.PAX_FORMAT}
    with tarfile.open(name, 'w:gz', format=formats[kind]) as archive:
        for path, data in contents.items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(data), 1e9 + 0.5
            archive.addfile(info, io.BytesIO(data))
`

describe.runIf(requires('python3'))('Python', () => {
  test.each(['zip', 'tar', 'tar.gz'] as const)(
    'reads every file of a %s that was exported here',
    async (format) => {
      const file = join(scratchFolder(), `a.${format}`)
      const files = await memoryFiles()
      await files.write(CONTENTS)
      writeFileSync(file, await collectBytes(exportArchive(files, { format })))
      expect(JSON.parse(python(READ, file))).toEqual(HASHES)
    },
  )

  test.each(['zip-deflated', 'zip-stored', 'zip-piped', 'zip-64', 'tar-ustar', 'tar-gnu', 'tar-pax'])(
    'writes a %s that is imported here',
    async (kind) => {
      const file = join(scratchFolder(), 'a')
      // The oldest format holds names in parts of 155 and 100 bytes.
      const own = Object.entries(CONTENTS).filter(([path]) => kind !== 'tar-ustar' || path.length < 100)
      const hex = own.map(([path, bytes]) => [path, Buffer.from(bytes).toString('hex')])
      writeFileSync(`${file}.json`, JSON.stringify(Object.fromEntries(hex)))
      python(WRITE, kind, file)
      const files = await memoryFiles()
      const imported = await importArchive(files, readFileSync(file))
      const hashes = imported.files.map(({ path, sha256 }) => [path, sha256])
      expect(Object.fromEntries(hashes)).toEqual(
        Object.fromEntries(own.map(([path]) => [path, HASHES[path]])),
      )
    },
  )

  test('counts more files than the first zips could', async () => {
    const entries: FileEntry[] = Array.from({ length: 65_600 }, (_, index) => ({
      path: `f${index}`,
      sizeBytes: 0,
    }))
    const nothing = async function* (): AsyncGenerator<Uint8Array> {}
    const file = join(scratchFolder(), 'many.zip')
    const bytes = await collectBytes(zipPieces(entries, nothing))
    writeFileSync(file, bytes)
    const script = 'import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))'
    expect(python(script, file)).toBe('65600\n')
  })
})

test.skipIf(!requires('tar'))(
  'a folder packed by tar comes in, and the links in it are refused',
  async () => {
    const folder = scratchFolder()
    const pack = (): Buffer => {
      const { status, stdout } = spawnSync('tar', ['-C', folder, '-czf', '-', '.'], { maxBuffer: 1e8 })
      expect(status).toBe(0)
      return stdout
    }
    writeFileSync(join(folder, 'a.txt'), 'a')
    writeFileSync(join(folder, 'ü.txt'), 'ü')
    const files = await memoryFiles()
    expect((await importArchive(files, pack())).files.map(({ path }) => path)).toEqual(['a.txt', 'ü.txt'])
    execFileSync('ln', [join(folder, 'a.txt'), join(folder, 'b.txt')])
    await expect(importArchive(files, pack())).rejects.toMatchObject({ details: { reason: 'link' } })
  },
)
