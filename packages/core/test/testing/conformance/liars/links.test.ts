// Liars that go where a program leads them.
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MendloopError } from '../../../../src/contract/errors.js'
import { aboutFiles, catchLiars } from '../../../helpers/liars.js'

const RACE = 'keeps to the workspace while a program swaps folders for links'

function unavailable(path: string): MendloopError<'FILE_UNAVAILABLE'> {
  return new MendloopError('FILE_UNAVAILABLE', 'There is no such file.', {
    details: { path, reason: 'none' },
  })
}

catchLiars('links', [
  {
    who: 'follows links when it reads',
    caughtBy: 'reads nothing through a link, whether of a file or of a folder',
    lie: aboutFiles((files, { workdir }) => ({
      read: async (path) =>
        (await lstat(join(workdir, path)).catch(() => undefined))?.isSymbolicLink()
          ? readFile(join(workdir, path))
          : files.read(path),
    })),
  },
  {
    who: 'lists links as files',
    caughtBy: 'reads nothing through a link, whether of a file or of a folder',
    lie: aboutFiles((_, { workdir }) => ({
      async list() {
        const entries = await readdir(workdir, { withFileTypes: true })
        return entries
          .filter((entry) => entry.isFile() || entry.isSymbolicLink())
          .map(({ name }) => ({ path: name, sizeBytes: 2 }))
      },
    })),
  },
  {
    who: 'follows links when it writes',
    caughtBy: 'writes nothing through a link',
    alone: true,
    lie: aboutFiles((_, { workdir }) => ({
      async write(contents) {
        for (const [path, content] of Object.entries(contents)) {
          await mkdir(dirname(join(workdir, path)), { recursive: true })
          await writeFile(join(workdir, path), content)
        }
      },
    })),
  },
  {
    who: 'follows links when it removes',
    caughtBy: 'removes a link, and nothing of what it points to',
    alone: true,
    lie: aboutFiles((_, { workdir }) => ({
      remove: (path) => rm(join(workdir, path), { recursive: true, force: true }),
    })),
  },
  {
    who: 'takes a second name for a file of its own',
    caughtBy: 'gives out no file that has a second name outside, and writes none',
    lie: aboutFiles((files, { workdir }) => ({
      readText: async (path) =>
        (await lstat(join(workdir, path)).catch(() => undefined))?.isFile()
          ? readFile(join(workdir, path), 'utf8')
          : files.readText(path),
    })),
    // Between its look and its read, a folder may be swapped for a link.
    alone: true,
  },
  {
    who: 'waits for somebody to write into a pipe',
    caughtBy: 'never waits for a named pipe, and does not take it for a file',
    lie: aboutFiles((files, { workdir }) => ({
      read: async (path) =>
        (await lstat(join(workdir, path)).catch(() => undefined))?.isFIFO()
          ? new Promise<never>(() => undefined)
          : files.read(path),
    })),
  },
  {
    who: 'looks first and reads then',
    caughtBy: RACE,
    also: ['gives out no file that has a second name outside, and writes none'],
    lie: aboutFiles((files, { workdir }) => ({
      async readText(path) {
        const folder = await lstat(join(workdir, dirname(path))).catch(() => undefined)
        if (folder?.isDirectory() !== true) throw unavailable(path)
        return readFile(join(workdir, path), 'utf8').catch(() => files.readText(path))
      },
    })),
  },
])
