// Files go in and out by hand, or as archives that are checked before the first file is written.
import { collectBytes, exportArchive, importArchive } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

await using sandbox = await subprocess().create()
await sandbox.files.write({ 'data/a.txt': 'one\n', 'data/b.txt': 'two\n' })
const archive = await collectBytes(exportArchive(sandbox.files, { format: 'tar.gz', paths: ['data'] }))
await importArchive(sandbox.files, archive, { into: 'copy' })
const { changes } = await sandbox.exec('cat copy/data/*.txt | sort -r > sorted.txt')
console.log(changes[0]?.kind, changes[0]?.path, JSON.stringify(await sandbox.files.readText('sorted.txt')))
