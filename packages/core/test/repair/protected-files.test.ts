// Files that decide are not the model's to write, nor its program's.
import { expect, test } from 'vitest'
import type { Sandbox, SandboxProvider } from '../../src/contract/sandbox.js'
import type { Verdict, Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../src/repair/repair-task.js'
import { verifyOnce } from '../../src/repair/verify-once.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const file = (path: string, body: string): string => `${path}\n\`\`\`python\n${body}\n\`\`\`\n`
const pass: Verdict = { status: 'pass', integrity: 'shared', failures: [] }

/** Runs the program, and passes when none of these is there. */
const without = (...paths: string[]): Verifier => ({
  name: 'without',
  visibility: 'visible',
  async verify({ run, sandbox }) {
    await run()
    const found = (await sandbox.files.list()).map(({ path }) => path).filter((path) => paths.includes(path))
    if (found.length === 0) return pass
    const failure = { kind: 'custom' as const, message: found.join(), fingerprint: 'found' }
    return { status: 'fail', integrity: 'shared', failures: [failure] }
  },
})

const task = (extra: Partial<RepairTask>): RepairTask => ({
  goal: 'Write it.',
  language: 'python',
  verify: [without('conftest.py', 'tests/conftest.py', 'x.pth')],
  ...extra,
})

test('a reply that adds what test runners load is not followed, and told so', async () => {
  const isGood: Verifier = {
    name: 'is good',
    visibility: 'visible',
    verify: async ({ candidate }) =>
      candidate.files['solution.py']?.includes('good') ? pass : { ...pass, status: 'fail' },
  }
  const model = scriptedModel([
    file('conftest.py', 'x = 1'),
    `${file('solution.py', 'good = 1')}\n${file('tests/conftest.py', 'x = 1')}`,
  ])
  const loop = createRepairLoop({ model, sandbox: memorySandbox() })
  const result = await loop.run(task({ program: { 'solution.py': 'x = 1' }, verify: [isGood] }))
  expect(String(model.calls[1]?.messages.at(-1)?.content)).toContain(
    'conftest.py is protected: a file of that name cannot be added.',
  )
  expect(result.status === 'verified' && Object.keys(result.candidate.files)).toEqual(['solution.py'])
  expect(result.spent).toMatchObject({ editErrors: 1, attempts: 1 })
})

test('what a program adds under such a name is gone before the next check', async () => {
  const sandbox = memorySandbox(() => ({ writes: { 'tests/conftest.py': 'x', 'x.pth': 'y', 'z.txt': 'z' } }))
  const runs: Verifier = { ...without('nothing'), name: 'runs' }
  const here: Verifier = {
    name: 'here',
    visibility: 'visible',
    // Reading what is not there throws, and a check that throws has not passed.
    verify: async ({ sandbox: { files } }) => ({ ...pass, score: (await files.readText('z.txt')).length }),
  }
  const result = await verifyOnce({
    sandbox,
    language: 'python',
    candidate: { files: { 'solution.py': 'x' }, entry: 'solution.py' },
    verify: [runs, without('conftest.py', 'tests/conftest.py', 'x.pth'), here],
  })
  expect(result.passed).toBe(true)
})

test('what the program is, is its own, whatever its name', async () => {
  const model = scriptedModel([file('conftest.py', 'good = 1')])
  const isThere: Verifier = {
    name: 'is there',
    visibility: 'visible',
    verify: async ({ sandbox }) => ({ ...pass, score: (await sandbox.files.readText('conftest.py')).length }),
  }
  const loop = createRepairLoop({ model, sandbox: memorySandbox() })
  const result = await loop.run(task({ entry: 'conftest.py', verify: [isThere] }))
  expect(result.status).toBe('verified')
})

test('patterns of the task take the place of the usual ones', async () => {
  const model = scriptedModel([
    `${file('solution.py', 'x = 1')}\n${file('conftest.py', 'x = 1')}\n${file('checks/a.py', 'x = 1')}`,
  ])
  const loop = createRepairLoop({ model, sandbox: memorySandbox() })
  const result = await loop.run(task({ protect: ['checks/'], verify: [without('checks/a.py')] }))
  expect(result.status === 'verified' && Object.keys(result.candidate.files).sort()).toEqual([
    'conftest.py',
    'solution.py',
  ])
})

test('what could not be looked at may hold anything: it is removed, and inputs are put back', async () => {
  const provider = memorySandbox(() => ({
    writes: { 'data/expected.txt': 'forged', 'shut/conftest.py': 'x' },
  }))
  const hiding: SandboxProvider = {
    ...provider,
    create: async (options) => {
      const sandbox = await provider.create(options)
      const exec: Sandbox['exec'] = async (command, more) => ({
        ...(await sandbox.exec(command, more)),
        changes: [],
        unseen: [
          { path: 'data', reason: 'closed' },
          { path: 'shut', reason: 'closed' },
        ],
      })
      return { ...sandbox, exec, files: sandbox.files, close: () => sandbox.close() }
    },
  }
  const asGiven: Verifier = {
    name: 'as given',
    visibility: 'visible',
    verify: async ({ run, sandbox: { files } }) => {
      await run()
      const text = await files.readText('data/expected.txt')
      const paths = (await files.list()).map(({ path }) => path)
      return text === 'honest' && !paths.includes('shut/conftest.py') ? pass : { ...pass, status: 'fail' }
    },
  }
  const result = await verifyOnce({
    sandbox: hiding,
    language: 'python',
    candidate: { files: { 'solution.py': 'x' }, entry: 'solution.py' },
    files: { 'data/expected.txt': 'honest' },
    verify: [asGiven],
  })
  expect(result.passed).toBe(true)
})

test('patterns that would protect nothing are refused', async () => {
  const loop = createRepairLoop({ model: scriptedModel([]), sandbox: memorySandbox() })
  await expect(loop.run(task({ protect: ['!conftest.py'] }))).rejects.toThrow(
    /protect.*without ! and backslash/,
  )
})
