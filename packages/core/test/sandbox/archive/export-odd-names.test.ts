// An archive goes to any system: names that only a program can give are not put into one.
import { expect, test } from 'vitest'
import { exportArchive } from '../../../src/sandbox/archive/export-archive.js'
import { importArchive } from '../../../src/sandbox/archive/import-archive.js'
import { collectBytes } from '../../../src/sandbox/archive/pieces.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'

test.each(['..\\up', 'a\\b', 'C:/x', 'not-text-\uDCFF'])(
  'a file called %j is refused, unless it is left out',
  async (odd) => {
    const { files } = await memorySandbox().create()
    await files.write({ 'fine.txt': 'fine' })
    const withOdd = {
      ...files,
      list: async () => [{ path: odd, sizeBytes: 4 }, ...(await files.list())],
      async *readStream() {
        yield await files.read('fine.txt')
      },
    }
    for (const format of ['zip', 'tar', 'tar.gz'] as const)
      await expect(collectBytes(exportArchive(withOdd, { format }))).rejects.toMatchObject({
        code: 'PATH_REFUSED',
        details: { path: odd },
      })
    const packed = await collectBytes(exportArchive(withOdd, { filter: ({ path }) => path !== odd }))
    const { files: target } = await memorySandbox().create()
    expect((await importArchive(target, packed)).files.map(({ path }) => path)).toEqual(['fine.txt'])
  },
)
