// Liars about the files of a workspace.
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sandbox } from '../../../../src/contract/sandbox.js'
import { aboutFiles, catchLiars, honestProvider, plainly, wrapProvider } from '../../../helpers/liars.js'

const inside = (path: string): string => path.replace(/^(\.\.\/|\/)+/, '')

const LARGE = 'writes and reads a file of 100 MB piece by piece without holding it'

let shared: Promise<Sandbox> | undefined

// Alone: others would wait for the disk, and memory that they have let go would hide what it holds.
catchLiars('files', [
  {
    who: 'holds a large file in memory',
    caughtBy: LARGE,
    alone: true,
    lie: aboutFiles((files) => ({
      async writeStream(path, content) {
        const pieces: Uint8Array[] = []
        for await (const piece of content) pieces.push(Uint8Array.from(piece))
        await files.write({ [path]: Buffer.concat(pieces) })
      },
    })),
  },
])

catchLiars(
  'files',
  [
    {
      who: 'shares one workspace with all others',
      caughtBy: 'begins with an empty workspace of its own',
      alone: true,
      provider: wrapProvider(async () => {
        shared ??= honestProvider.create()
        const sandbox = await shared
        const close = async (): Promise<void> => undefined
        return { ...plainly(sandbox), id: `liar-${performance.now()}`, close, [Symbol.asyncDispose]: close }
      }),
    },
    {
      who: 'takes every file for text',
      caughtBy: 'gives back every byte that was written, and text as UTF-8',
      alone: true,
      lie: aboutFiles((files) => ({ read: async (path) => Buffer.from(await files.readText(path)) })),
    },
    {
      who: 'spoils names that are not English',
      caughtBy: 'takes names with spaces, in any script and in deep folders',
      lie: aboutFiles((files) => ({
        list: async () =>
          (await files.list()).map((entry) => ({ ...entry, path: entry.path.replace(/[^ -~\n]/gu, '?') })),
      })),
    },
    {
      who: 'lists no more than a thousand files',
      caughtBy: 'lists three thousand files, sorted',
      lie: aboutFiles((files) => ({ list: async () => (await files.list()).slice(0, 1000) })),
    },
    {
      who: 'lists files as the system names them',
      caughtBy: 'lists three thousand files, sorted',
      also: ['takes names with spaces, in any script and in deep folders'],
      lie: aboutFiles((files) => ({ list: async () => [...(await files.list())].reverse() })),
    },
    {
      who: 'leaves the end of a longer file when it writes over it',
      caughtBy: 'writes over a file that is there, shorter or longer',
      alone: true,
      lie: aboutFiles((files) => ({
        async write(contents) {
          for (const [path, content] of Object.entries(contents)) {
            const old = await files.readText(path).catch(() => '')
            await files.write({ [path]: String(content) + old.slice(content.length) })
          }
        },
      })),
    },
    {
      who: 'takes folders for files',
      caughtBy: 'tells the size of a file, and nothing of what is no file',
      lie: aboutFiles((files, { workdir }) => ({
        async stat(path) {
          const entry = await files.stat(path)
          const found =
            entry === undefined ? await stat(join(workdir, path)).catch(() => undefined) : undefined
          return found?.isDirectory() ? { path, sizeBytes: found.size } : entry
        },
      })),
    },
    {
      who: 'reads a file that is not there as an empty one',
      caughtBy: 'says that a file is not there, or is a folder, when it is read',
      alone: true,
      lie: aboutFiles((files) => ({ readText: (path) => files.readText(path).catch(() => '') })),
    },
    {
      who: 'removes all that begins with the name',
      caughtBy: 'removes a file or a whole folder, and what is not there is no error',
      lie: aboutFiles((files) => ({
        async remove(path) {
          await files.remove(path)
          for (const one of await files.list()) if (one.path.startsWith(path)) await files.remove(one.path)
        },
      })),
    },
    {
      who: 'writes what stands before a path that it refuses',
      caughtBy: 'refuses to write a path that leaves the workspace, and writes none of the files beside it',
      lie: aboutFiles((files) => ({
        async write(contents) {
          if (Object.keys(contents).length > 10) return files.write(contents)
          for (const [path, content] of Object.entries(contents)) await files.write({ [path]: content })
        },
      })),
    },
    {
      who: 'quietly bends paths back into the workspace when it writes',
      caughtBy: 'refuses to write a path that leaves the workspace, and writes none of the files beside it',
      alone: true,
      lie: aboutFiles((_, { workdir }) => ({
        async write(contents) {
          for (const [path, content] of Object.entries(contents))
            await writeFile(join(workdir, inside(path) || 'x'), content)
        },
      })),
    },
    {
      who: 'reads whatever path it is given',
      caughtBy: 'refuses to read, look at or remove a path that leaves the workspace',
      lie: aboutFiles((files, { workdir }) => ({
        read: (path) =>
          path.startsWith('/')
            ? readFile(join(workdir, inside(path))).catch(() => Buffer.of())
            : files.read(path),
      })),
    },
    {
      who: 'gives more than was asked for of a file',
      caughtBy: 'reads a part of a file, and nothing beyond its end',
      lie: aboutFiles((files) => ({ readRange: (path) => files.read(path) })),
    },
    {
      who: 'loses pieces of a file',
      caughtBy: 'reads a file piece by piece, and lets it go when nobody reads on',
      alone: true,
      lie: aboutFiles((files) => ({
        async *readStream(path) {
          const bytes = await files.read(path)
          yield bytes.subarray(0, 1000)
          yield bytes.subarray(2000)
        },
      })),
    },
    {
      who: 'leaves half a file when its source breaks',
      caughtBy: 'writes a file piece by piece, whole or not at all',
      alone: true,
      lie: aboutFiles((files) => ({
        async writeStream(path, content) {
          let text = ''
          for await (const piece of content) {
            text += Buffer.from(piece).toString()
            await files.write({ [path]: text })
          }
        },
      })),
    },
  ],
  { slow: ['lists three thousand files, sorted', LARGE], atOnce: true },
)
