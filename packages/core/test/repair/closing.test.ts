// Closing a sandbox takes time that nobody has to wait for, except the end of the run.
import { expect, test } from 'vitest'
import type { SandboxProvider } from '../../src/contract/sandbox.js'
import type { Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

const holdsGood: Verifier = {
  name: 'check',
  visibility: 'visible',
  verify: async ({ candidate }) =>
    candidate.files['solution.py']?.includes('good')
      ? { status: 'pass', integrity: 'shared', failures: [] }
      : {
          status: 'fail',
          integrity: 'shared',
          failures: [{ kind: 'custom', message: 'it is not good', fingerprint: 'bad' }],
        },
}

/** Its sandboxes close when they are told to, each in its turn. */
function slowToClose(): { provider: SandboxProvider; closing: (() => void)[] } {
  const inner = memorySandbox()
  const closing: (() => void)[] = []
  const provider: SandboxProvider = {
    ...inner,
    id: inner.id,
    async create(options) {
      const sandbox = await inner.create(options)
      const close = async (): Promise<void> => {
        await new Promise<void>((resolve) => closing.push(resolve))
        await sandbox.close()
      }
      return Object.assign(Object.create(sandbox), { close })
    },
  }
  return { provider, closing }
}

test('the next attempt begins while the last sandbox closes, and the run ends when all are closed', async () => {
  const { provider, closing } = slowToClose()
  const model = scriptedModel([program('x = "bad"'), program('x = "good"')])
  const run = createRepairLoop({ model, sandbox: provider }).start({
    goal: 'Write something good.',
    language: 'python',
    verify: [holdsGood],
  })
  const seen: string[] = []
  const judged = new Promise<void>((resolve) => {
    run.on('attempt-end', ({ attempt }) => {
      seen.push(`attempt ${attempt}, ${closing.length} closing`)
      if (attempt === 2) resolve()
    })
  })
  run.on('run-end', () => seen.push('end'))
  await judged
  expect(seen).toEqual(['attempt 1, 1 closing', 'attempt 2, 2 closing'])
  for (const close of closing) close()
  expect((await run.result).status).toBe('verified')
  expect(seen.at(-1)).toBe('end')
})
