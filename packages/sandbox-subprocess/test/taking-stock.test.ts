// Thousands of files are looked through without holding up the host, and no longer than somebody waits for them.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionResult } from '@mendloop/core'
import { expect, onTestFinished, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'
import { ChangeTracker, MOST_HASHED_BYTES } from '../src/change-tracker.js'
import { hashFile } from '../src/read-file.js'
import { sortByPath, Turns } from '../src/turns.js'
import { scanWorkspace } from '../src/workspace-scan.js'
import { openSandbox } from './helpers/open-sandbox.js'
import { openTier, workingTiers } from './helpers/tiers.js'

const MANY = 3_000
const PATIENT = { limits: { wallMs: 60_000 } }

const makes = (count: number): readonly string[] => [
  'python3',
  '-c',
  `
import os
for i in range(${count}):
    if i % 2000 == 0: os.makedirs(f"m/{i // 2000}")
    os.close(os.open(f"m/{i // 2000}/{i}", os.O_CREAT | os.O_WRONLY))
print("done", flush=True)
`,
]

/** Most work done, in milliseconds of processor time, before others had their turn: of that a busy machine takes nothing. */
async function longestTurnMs(act: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = process.cpuUsage()
  let over = false
  const beat = (): void => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, user + system)
    last = process.cpuUsage()
    if (!over) setImmediate(beat)
  }
  beat()
  await act()
  over = true
  return longest / 1000
}

/** A turn has 10; the collector of garbage works beside it. */
const LONGEST_MS = 100

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'taking-stock-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

test.runIf(requires('python3'))(
  `${MANY} files are told of, listed and compared in short turns`,
  async () => {
    const sandbox = await openSandbox()
    let result: ExecutionResult | undefined
    const run = async (): Promise<void> => {
      result = await sandbox.exec(makes(MANY), PATIENT)
    }
    expect(await longestTurnMs(run)).toBeLessThan(LONGEST_MS)
    expect(result).toMatchObject({ ok: true })
    expect(result?.unseen).toBeUndefined()
    const paths = result?.changes.map(({ path }) => path) ?? []
    expect(paths).toHaveLength(MANY)
    expect(paths).toEqual([...paths].sort())
    const list = async (): Promise<void> => expect(await sandbox.files.list()).toHaveLength(MANY)
    expect(await longestTurnMs(list)).toBeLessThan(LONGEST_MS)
    const next = await sandbox.exec('rm m/0/7; echo x > m/1/2001', PATIENT)
    expect(next.changes.map(({ path, kind }) => [path, kind])).toEqual([
      ['m/0/7', 'deleted'],
      ['m/1/2001', 'modified'],
    ])
  },
  90_000,
)

// Made in no time, and read in some.
const LEAVES_MUCH = `
import os
os.truncate(os.open('huge', os.O_CREAT | os.O_RDWR), ${MOST_HASHED_BYTES - 4096})
os.remove('gone.txt')
open('new.txt', 'w').write('new')
print('done', flush=True)
`

test.runIf(requires('python3')).each(['process', ...workingTiers] as const)(
  'an abort while files are looked through ends it within a second and loses nothing that is known, tier %s',
  async (tier) => {
    const limits = { wallMs: 60_000, fileBytes: 2 ** 32 }
    const sandbox = await openTier(tier, { limits })
    await sandbox.files.write({ 'gone.txt': 'gone', 'kept.txt': 'kept' })
    const controller = new AbortController()
    let abortedAt = 0
    // The program is over by then, and looking through what it left is not.
    const onOutput = (): void => void setTimeout(abort, 700)
    const abort = (): void => {
      abortedAt = performance.now()
      controller.abort()
    }
    const result = await sandbox.exec(['python3', '-c', LEAVES_MUCH], { signal: controller.signal, onOutput })
    // Twice the promise: these tests share the machine with others.
    expect(performance.now() - abortedAt).toBeLessThan(2_000)
    expect([result.stdout.text, result.outcome]).toEqual(['done\n', { kind: 'exit', code: 0 }])
    const unknown = result.unseen?.map(({ path }) => path) ?? []
    expect(unknown).toContain('huge')
    expect(result.changes).toContainEqual({
      path: 'huge',
      kind: 'created',
      sizeBytes: MOST_HASHED_BYTES - 4096,
    })
    expect(result.changes).toContainEqual({ path: 'gone.txt', kind: 'deleted' })
    const isNewKnown = result.changes.some(({ path }) => path === 'new.txt')
    expect(isNewKnown).toBe(!unknown.includes('new.txt'))
  },
  30_000,
)

test.runIf(requires('python3'))(
  'a sandbox is closed while files are looked through within a second or two',
  async () => {
    const sandbox = await openSandbox({ limits: { wallMs: 60_000, fileBytes: 2 ** 32 } })
    await sandbox.files.write({ 'gone.txt': 'gone' })
    let closing = Promise.resolve()
    let closedAt = 0
    const close = (): void => {
      closedAt = performance.now()
      closing = sandbox.close()
    }
    const onOutput = (): void => void setTimeout(close, 700)
    const result = await sandbox.exec(['python3', '-c', LEAVES_MUCH], { onOutput })
    await closing
    expect(performance.now() - closedAt).toBeLessThan(4_000)
    expect(result.unseen?.map(({ reason }) => reason)).toContain('aborted')
  },
  30_000,
)

test('what was not looked at when it was stopped is neither deleted nor, later on, created', async () => {
  const root = await folder()
  for (const name of ['a', 'b', 'c']) {
    await mkdir(join(root, name))
    for (let index = 0; index < 50; index++) await writeFile(join(root, name, `${index}`), 'x')
  }
  const tracker = new ChangeTracker(root)
  const before = await tracker.before()
  await rm(join(root, 'b', '7'))
  for (const after of [0, 1, 10, 60, 70, 120, 155]) {
    let asked = 0
    const { changes, unseen } = await tracker.changesSince(before, () => asked++ >= after)
    expect(unseen?.length, `stopped after ${after}`).toBeGreaterThan(0)
    expect(unseen?.every(({ reason }) => reason === 'aborted')).toBe(true)
    expect([[], [{ path: 'b/7', kind: 'deleted' }]]).toContainEqual(changes)
  }
  expect((await tracker.changesSince(before)).changes).toEqual([{ path: 'b/7', kind: 'deleted' }])
  let asked = 0
  const partial = await tracker.before(() => asked++ >= 70)
  await writeFile(join(root, 'a', 'new'), 'x')
  // Files that were there and were not looked at are no older than this in `later`.
  const later = { ...partial, startedMs: partial.startedMs + 60_000 }
  const told = (await tracker.changesSince(later)).changes.filter(({ path }) => path !== 'a/new')
  expect(told).toEqual([])
  expect((await tracker.changesSince(partial)).changes).toContainEqual(
    expect.objectContaining({ path: 'a/new', kind: 'created' }),
  )
})

test('of more entries than one look takes in, the rest is told as unseen', async () => {
  const root = await folder()
  for (let index = 0; index < 20; index++) await writeFile(join(root, `${index}`), '')
  const seen: string[] = []
  const unseen = await scanWorkspace(root, { mostEntries: 12, onFile: (path) => void seen.push(path) })
  expect(seen).toHaveLength(12)
  expect([...unseen.folders]).toEqual([['', 'too-many']])
})

test('more than one look may hash is told without a hash', async () => {
  const sandbox = await openSandbox({ limits: { fileBytes: 2 ** 42 } })
  const code = `import os\nfor name, size in ("huge", ${MOST_HASHED_BYTES + 1}), ("small", 3): os.truncate(os.open(name, os.O_CREAT | os.O_RDWR), size)`
  const { changes } = await sandbox.exec(['python3', '-c', code])
  expect(changes.map(({ path, sha256 }) => [path, sha256 === undefined])).toEqual([
    ['huge', true],
    ['small', false],
  ])
})

test.runIf(process.platform !== 'win32' && requires('python3'))(
  'what turns into a pipe while it is looked at is not waited for',
  async () => {
    const root = await folder()
    const pipe = join(root, 'pipe')
    execFileSync('python3', ['-c', 'import os, sys; os.mkfifo(sys.argv[1])', pipe])
    expect(hashFile(pipe, () => false)).toBeUndefined()
    expect(hashFile(root, () => false)).toBeUndefined()
    await writeFile(join(root, 'file'), 'x')
    expect(hashFile(join(root, 'file'), () => false)).toBe(hash('sha256', 'x'))
  },
)

test('any number of things is sorted by path', async () => {
  for (const count of [0, 1, 2047, 2048, 2049, 10_000]) {
    const items = Array.from({ length: count }, (_, index) => ({ path: `${(index * 7919) % 10_007}` }))
    const expected = items.map(({ path }) => path).sort()
    expect((await sortByPath(items, new Turns())).map(({ path }) => path)).toEqual(expected)
  }
})
