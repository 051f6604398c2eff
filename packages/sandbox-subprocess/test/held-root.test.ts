// A workspace that is reached through an open folder, and one whose files belong to another user.
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkspaceFiles } from '@mendloop/core'
import { expect, onTestFinished, test } from 'vitest'
import { isRoot, onLinux } from '../../core/test/helpers/requires.js'
import { ChangeTracker } from '../src/change-tracker.js'
import type { Owner } from '../src/open-within.js'
import { workspaceFiles } from '../src/workspace-files.js'

const hasProc = onLinux('open folders as addresses')

interface Workspace {
  readonly files: WorkspaceFiles
  readonly tracker: ChangeTracker
  readonly folder: string
}

/** The files of a workspace that is known to this process by a descriptor alone. */
function openHeld(owner?: Owner): Workspace {
  const root = mkdtempSync(join(tmpdir(), 'held-test-'))
  const folder = join(root, 'work')
  mkdirSync(folder)
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  onTestFinished(() => {
    closeSync(descriptor)
    rmSync(root, { recursive: true })
  })
  const workspace = `/proc/self/fd/${descriptor}`
  const tracker = new ChangeTracker(workspace)
  const inside = { workspace: folder, home: folder, temporary: folder, scripts: folder }
  const parts = { root, workspace, scripts: root, writable: [], inside, owner }
  return { files: workspaceFiles(parts, tracker, () => undefined), tracker, folder }
}

async function* inPieces(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

test.runIf(hasProc)('an open folder serves as a root, also after its name has gone to a link', async () => {
  const { files, tracker, folder } = openHeld()
  await files.write({ 'a/b.txt': 'b' })
  const before = await tracker.before()
  renameSync(folder, `${folder}-moved`)
  symlinkSync('/', folder)
  await files.writeStream?.('a/c.txt', inPieces('c', 'c'))
  expect(await files.list()).toEqual([
    { path: 'a/b.txt', sizeBytes: 1 },
    { path: 'a/c.txt', sizeBytes: 2 },
  ])
  expect(await files.readText('a/c.txt')).toBe('cc')
  expect(await files.stat('a/b.txt')).toEqual({ path: 'a/b.txt', sizeBytes: 1 })
  await files.remove('a/b.txt')
  const { changes } = await tracker.changesSince(before)
  expect(changes.map(({ path, kind }) => [path, kind])).toEqual([
    ['a/b.txt', 'deleted'],
    ['a/c.txt', 'created'],
  ])
})

test.runIf(hasProc && isRoot('files that belong to another user'))(
  'files and folders that are written belong to the owner, and to nobody else before',
  async () => {
    const owner = { uid: 12_345, gid: 12_346 }
    const { files, folder } = openHeld(owner)
    await files.write({ 'a/b/c.txt': 'small', 'large.bin': new Uint8Array(300_000) })
    await files.writeStream?.('d/e.txt', inPieces('streamed'))
    for (const path of ['a', 'a/b', 'a/b/c.txt', 'large.bin', 'd', 'd/e.txt'])
      expect(lstatSync(join(folder, path)), path).toMatchObject(owner)
  },
)
