// From JavaScript, one part may stand in the place of another: every call that takes one says so at once, in words.
import { expect, test } from 'vitest'
import type { Sandbox, SandboxProvider } from '../../src/contract/sandbox.js'
import type { WorkspaceFiles } from '../../src/contract/workspace-files.js'
import { BUILT_IN_PROBES } from '../../src/guest/inventory/built-in-probes.js'
import { inventory } from '../../src/guest/inventory/inventory.js'
import { type Probe, runProbe } from '../../src/guest/inventory/probe.js'
import { prepareRunner, runProgram } from '../../src/guest/runner/run-program.js'
import { openSession } from '../../src/guest/session/open-session.js'
import { compareTimings } from '../../src/guest/timing/compare-timings.js'
import { runSource } from '../../src/language/run-source.js'
import { exportArchive } from '../../src/sandbox/archive/export-archive.js'
import { importArchive } from '../../src/sandbox/archive/import-archive.js'
import { readFilePiece } from '../../src/sandbox/file-type/file-piece.js'
import { sniffFile } from '../../src/sandbox/file-type/sniff-file-type.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'

const takesSandbox: Readonly<Record<string, (sandbox: Sandbox) => unknown>> = {
  compareTimings: (sandbox) =>
    compareTimings(sandbox, { language: 'python', alternatives: { a: '1', b: '2' } }),
  inventory,
  openSession: (sandbox) => openSession(sandbox, { language: 'python' }),
  prepareRunner,
  runProbe: (sandbox) => runProbe(sandbox, BUILT_IN_PROBES[0] as Probe),
  runProgram: (sandbox) => runProgram(sandbox, 'print(1)'),
  runSource: (sandbox) => runSource(sandbox, { language: 'python', files: 'print(1)' }),
}

const takesFiles: Readonly<Record<string, (files: WorkspaceFiles) => unknown>> = {
  exportArchive,
  importArchive: (files) => importArchive(files, new Uint8Array()),
  readFilePiece: (files) => readFilePiece(files, 'a'),
  sniffFile: (files) => sniffFile(files, 'a'),
}

test.each(Object.entries(takesSandbox))('%s refuses a provider, and nothing', async (name, call) => {
  const provider: SandboxProvider = memorySandbox()
  await expect(async () => call(provider as unknown as Sandbox)).rejects.toThrow(
    `${name}(): option "sandbox": must be a sandbox; await provider.create() opens one`,
  )
  await expect(async () => call(undefined as unknown as Sandbox)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  })
})

test.each(Object.entries(takesFiles))('%s refuses a sandbox, and nothing', async (name, call) => {
  const sandbox = await memorySandbox().create()
  await expect(async () => call(sandbox as unknown as WorkspaceFiles)).rejects.toThrow(
    `${name}(): option "files": must be the files of a sandbox; a sandbox was given; give its files, sandbox.files`,
  )
  await expect(async () => call(undefined as unknown as WorkspaceFiles)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  })
})
