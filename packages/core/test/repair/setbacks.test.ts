// An attempt that breaks what worked is dropped: the next one goes on from the better program.
import { expect, test } from 'vitest'
import type { Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

/** A test for each letter, which passes when the program holds it. */
const letters: Verifier = {
  name: 'letters',
  visibility: 'visible',
  async verify({ candidate }) {
    const text = candidate.files['solution.py'] ?? ''
    const tests = ['A', 'B', 'C'].map((name) => ({
      name,
      status: text.includes(name) ? ('pass' as const) : ('fail' as const),
    }))
    const missing = tests.filter(({ status }) => status === 'fail').map(({ name }) => name)
    return {
      status: missing.length === 0 ? 'pass' : 'fail',
      integrity: 'shared',
      tests,
      failures: missing.map((name) => ({ kind: 'assertion', message: `no ${name}`, fingerprint: name })),
    }
  },
}

const task = { goal: 'Write letters.', language: 'python', verify: [letters] }

test('the next turn starts from the better program and says what was broken', async () => {
  const model = scriptedModel([program('# AB'), program('# C'), program('# ABC')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(task)
  expect(result.status).toBe('verified')
  const [, , third] = model.calls
  const sent = (third?.messages ?? []).map(({ content }) => String(content))
  expect(sent.join('\n')).toContain('# AB')
  expect(sent.at(-1)).toContain(
    'Attempt 2 was worse than attempt 1 and is dropped. It broke A, B.\nGo on from attempt 1; what follows is about it.',
  )
  expect(sent.at(-1)).toContain('Attempt 1: 0 of 1 checks passed. Failed: letters (2 of 3 tests passed).')
})

test('files that only the dropped attempt had are gone', async () => {
  const both = 'solution.py\n```python\n# C\n```\n\nextra.py\n```python\nx = 1\n```\n'
  const model = scriptedModel([program('# AB'), both, program('# ABC')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(task)
  expect(result.status === 'verified' && Object.keys(result.candidate.files)).toEqual(['solution.py'])
})

test('a program that runs is not dropped for one that does not parse, however many tests it fails', async () => {
  const parses: Verifier = {
    ...letters,
    verify: async (context) => {
      const text = context.candidate.files['solution.py'] ?? ''
      if (!text.includes('(')) return letters.verify(context)
      const failures = [{ kind: 'syntax' as const, message: "'(' was never closed", fingerprint: 'syntax' }]
      return { status: 'fail', integrity: 'shared', failures }
    },
  }
  const model = scriptedModel([program('# ('), program('# none'), program('# ABC')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run({
    ...task,
    verify: [parses],
  })
  expect(result.status).toBe('verified')
  expect(String(model.calls[2]?.messages[2]?.content)).toContain('# none')
})

test('one that is as good as the best is gone on from', async () => {
  const model = scriptedModel([program('# AB'), program('# BC'), program('# ABC')])
  await createRepairLoop({ model, sandbox: memorySandbox() }).run(task)
  expect(String(model.calls[2]?.messages[2]?.content)).toContain('# BC')
})
