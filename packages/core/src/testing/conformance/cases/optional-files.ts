// Promises about the members that a workspace may have: parts, streams, kept states.
import { everyByte, sameBytes } from '../bytes.js'
import { all, has } from '../claims.js'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, refused } from '../expectations.js'
import { openForFiles, watchMemory } from '../probe.js'

const group = 'files'
const needs = 'nothing'
const MIB = 1024 * 1024

async function* pieces(...contents: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const one of contents) {
    if (one instanceof Error) throw one
    yield Buffer.from(one)
  }
}

export const optionalFileCases: readonly ConformanceCase[] = [
  {
    name: 'reads a part of a file, and nothing beyond its end',
    group,
    needs,
    requires: has('files.readRange'),
    async check({ open }) {
      const { files } = await open()
      await files.write({ 'bytes.bin': everyByte })
      for (const [offset, length] of [
        [0, 10],
        [69_990, 100],
        [500, 0],
        [70_000, 5],
        [1_000_000, 5],
        [3, 65_000],
      ] as const) {
        const part = await files.readRange?.('bytes.bin', { offset, length })
        sameBytes(
          part ?? Buffer.of(),
          everyByte.subarray(offset, offset + length),
          `${length} bytes from ${offset} on`,
        )
      }
      await refused('a part of a file outside', 'PATH_REFUSED', async () =>
        files.readRange?.('../x', { offset: 0, length: 1 }),
      )
    },
  },
  {
    name: 'reads a file piece by piece, and lets it go when nobody reads on',
    group,
    needs,
    requires: has('files.readStream'),
    async check({ open }) {
      const { files } = await open()
      const large = Buffer.alloc(5_000_000, everyByte)
      await files.write({ 'large.bin': large })
      const read: Uint8Array[] = []
      for await (const piece of files.readStream?.('large.bin') ?? []) read.push(Uint8Array.from(piece))
      sameBytes(Buffer.concat(read), large, 'a file read in pieces')
      ensure(read.length > 1, 'five million bytes came in one piece')
      for await (const _ of files.readStream?.('large.bin') ?? []) break
      const readMissing = async (): Promise<void> => {
        for await (const _ of files.readStream?.('missing') ?? []) break
      }
      await refused('reading a missing file in pieces', 'FILE_UNAVAILABLE', readMissing)
    },
  },
  {
    name: 'writes a file piece by piece, whole or not at all',
    group,
    needs,
    requires: has('files.writeStream'),
    async check({ open }) {
      const { files } = await open()
      await files.writeStream?.('deep/file.txt', pieces('one ', 'two ', '世界'))
      equal(await files.readText('deep/file.txt'), 'one two 世界', 'a file written in pieces')
      const broken = new Error('the source broke')
      const told = await files
        .writeStream?.('half.txt', pieces('half', broken))
        .catch((error: unknown) => error)
      equal(told, broken, 'what a source that breaks throws')
      equal(await files.stat('half.txt'), undefined, 'the file whose source broke')
      await refused('writing outside in pieces', 'PATH_REFUSED', async () =>
        files.writeStream?.('../x', pieces('x')),
      )
    },
  },
  {
    name: 'writes and reads a file of 100 MB piece by piece without holding it',
    group,
    needs,
    requires: all(has('files.readStream'), has('files.writeStream')),
    deadlineMs: 60_000,
    async check(context) {
      const { files } = await openForFiles(context, 200 * MIB)
      const block = Buffer.alloc(MIB, everyByte)
      async function* large(): AsyncGenerator<Uint8Array> {
        for (let count = 0; count < 100; count++) yield block
      }
      const { value: readBytes, grownBytes } = await watchMemory(async () => {
        await files.writeStream?.('large.bin', large())
        let bytes = 0
        for await (const piece of files.readStream?.('large.bin') ?? []) bytes += piece.length
        return bytes
      })
      equal(readBytes, 100 * MIB, 'the bytes that were read')
      ensure(grownBytes < 64 * MIB, `the host's memory grew by ${grownBytes} bytes`)
    },
  },
  {
    name: 'brings back a kept state of the workspace',
    group,
    needs,
    requires: has('snapshot'),
    async check({ open }) {
      const sandbox = await open()
      await sandbox.files.write({ 'a.txt': 'kept', 'b/c.txt': 'kept' })
      const ref = await sandbox.snapshot?.()
      ensure(ref !== undefined && sandbox.restore !== undefined, 'snapshot() needs restore()')
      await sandbox.files.write({ 'a.txt': 'changed', 'new.txt': 'x' })
      await sandbox.files.remove('b')
      await sandbox.restore(ref)
      equal(
        (await sandbox.files.list()).map(({ path }) => path),
        ['a.txt', 'b/c.txt'],
        'the files brought back',
      )
      equal(await sandbox.files.readText('a.txt'), 'kept', 'a file brought back')
    },
  },
]
