// Files in, a program over them, files out: an archive unpacked, a piece looked at, an archive packed.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { exportArchive, importArchive, MendloopError, readFilePiece, sniffFile } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const [archivePath = 'results.tar.gz'] = process.argv.slice(2)
const sandbox = await subprocess().create()
const { files } = sandbox

// Any archive will do: the bytes of an upload, createReadStream('project.zip'), (await fetch(url)).body.
async function* upload(): AsyncGenerator<Uint8Array> {
  await files.write({ 'project/data.csv': 'item,price\npan,20\npot,9.5\n' })
  yield* exportArchive(files, { format: 'zip' })
}
const { files: imported, skipped } = await importArchive(files, upload(), { into: 'input' })
console.log(imported.map(({ path, sizeBytes }) => `${path} ${sizeBytes} bytes`).join('\n'), skipped)
console.log(await sniffFile(files, 'input/project/data.csv'))

const program = `
import csv, os
os.makedirs('output', exist_ok=True)
rows = list(csv.DictReader(open('input/project/data.csv')))
open('output/total.txt', 'w').write(f"{sum(float(row['price']) for row in rows)}\\n")
open('output/square.bin', 'wb').write(bytes(n * n % 256 for n in range(40)))
`
const { changes } = await sandbox.exec(['python3', '-c', program])
for (const { kind, path, sha256 } of changes) console.log(kind, path, sha256?.slice(0, 8))
console.log((await readFilePiece(files, 'output/total.txt')).content.trim())
console.log(
  (await readFilePiece(files, 'output/square.bin', { as: 'hex', offset: 16, length: 16 })).content.trim(),
)

await pipeline(exportArchive(files, { format: 'tar.gz', paths: ['output'] }), createWriteStream(archivePath))

try {
  await importArchive(files, Buffer.from('not an archive'))
} catch (error) {
  if (!MendloopError.is(error, 'ARCHIVE_REFUSED')) throw error
  console.log(error.details.reason, error.message)
}
await sandbox.close()
