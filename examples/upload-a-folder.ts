// A folder of this machine goes into a sandbox, file by file and in pieces; links stay out, so none leads elsewhere.
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { WorkspaceFiles } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

async function upload(folder: string, files: WorkspaceFiles): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const source = join(entry.parentPath, entry.name)
    const path = relative(folder, source).split(sep).join('/')
    if (files.writeStream) await files.writeStream(path, createReadStream(source))
    else await files.write({ [path]: await readFile(source) })
  }
}

const [folder = '.'] = process.argv.slice(2)
await using sandbox = await subprocess().create()
await upload(folder, sandbox.files)
for (const { path, sizeBytes } of await sandbox.files.list()) console.log(path, sizeBytes)
