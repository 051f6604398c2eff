// Static checks in the loop: who is sure of a mistake keeps the program from being run.
import { expect, test } from 'vitest'
import type { Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { newFailure } from '../../src/verify/new-failure.js'
import { type StaticChecks, staticChecks } from '../../src/verify/static/static-checks.js'
import type { StaticCheckInput } from '../../src/verify/static/static-checks-options.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

const runs: Verifier = {
  name: 'runs',
  visibility: 'visible',
  async verify({ candidate, run }) {
    await run()
    const isGood = candidate.files['solution.py']?.includes('good') === true
    return isGood
      ? { status: 'pass', integrity: 'shared', failures: [] }
      : {
          status: 'fail',
          integrity: 'shared',
          failures: [newFailure({ kind: 'custom', message: 'not good' })],
        }
  },
}
const task = { goal: 'Make it good.', language: 'python', verify: [runs] }

/** Is sure that `bad` is wrong, and does not like `ugly`. */
function opinionated(seen: StaticCheckInput[]): StaticChecks {
  return {
    async check(input) {
      seen.push({ ...input, told: [...(input.told ?? [])] })
      const text = input.candidate.files['solution.py'] ?? ''
      const finding = (severity: 'error' | 'warning') => ({
        tool: 'opinion',
        rule: 'O1',
        kind: 'lint' as const,
        severity,
        message: severity === 'error' ? 'this is bad' : 'this is ugly',
        path: 'solution.py',
        line: 1,
        column: 1,
        id: `${severity}-1`,
      })
      const isTold = (id: string): boolean => [...(input.told ?? [])].includes(id)
      const gating = text.includes('bad') && !isTold('error-1') ? [finding('error')] : []
      const advisory = text.includes('ugly') && !isTold('warning-1') ? [finding('warning')] : []
      return {
        findings: [...gating, ...advisory],
        gating,
        advisory,
        failures: gating.map(({ message }) => newFailure({ kind: 'lint', message })),
        tools: [],
        notes: [],
      }
    },
  }
}

test('a program with a mistake that is sure is not run; told once, it does not keep it from being run again', async () => {
  const seen: StaticCheckInput[] = []
  const sandbox = memorySandbox()
  const model = scriptedModel([program('x = "bad"'), program('x = "bad good"')])
  const loop = createRepairLoop({ model, sandbox, staticChecks: opinionated(seen) })
  const result = await loop.run(task)
  expect(result.status).toBe('verified')
  expect(result.attempts[0]).toMatchObject({
    passed: false,
    verdicts: [{ status: 'not-run' }],
    failures: [{ kind: 'lint', message: 'this is bad' }],
  })
  expect(sandbox.commands).toHaveLength(1)
  expect(String(model.calls[1]?.messages.at(-1)?.content)).toContain('this is bad')
  expect(seen.map(({ told, previous }) => [told, previous?.files['solution.py']])).toEqual([
    [[], undefined],
    [['error-1'], 'x = "bad"\n'],
  ])
})

test('style is told beside what failed, and nothing is kept from running for it', async () => {
  const sandbox = memorySandbox()
  const model = scriptedModel([program('x = "ugly"'), program('x = "good"')])
  const loop = createRepairLoop({ model, sandbox, staticChecks: opinionated([]) })
  expect((await loop.run(task)).status).toBe('verified')
  expect(sandbox.commands).toHaveLength(2)
  expect(String(model.calls[1]?.messages.at(-1)?.content)).toContain('- solution.py:1: this is ugly (O1)')
})

test('what was told is remembered in a run that is resumed', async () => {
  const first = createRepairLoop({
    model: scriptedModel([program('x = "bad"')]),
    sandbox: memorySandbox(),
    staticChecks: opinionated([]),
    budget: { attempts: 1 },
  }).start(task)
  await first.result
  const seen: StaticCheckInput[] = []
  const second = createRepairLoop({
    model: scriptedModel([program('x = "good"')]),
    sandbox: memorySandbox(),
    staticChecks: opinionated(seen),
  })
  await second.resume(task, first.state()).result
  expect(seen[0]?.told).toEqual(['error-1'])
})

test('real ones find a name that does not exist', async () => {
  const model = scriptedModel([program('print(undefined_name)'), program('print("good")')])
  const sandbox = memorySandbox(() => ({ outcome: { kind: 'exit', code: 127 } }))
  const loop = createRepairLoop({ model, sandbox, staticChecks: staticChecks() })
  const result = await loop.run({
    ...task,
    verify: [{ ...runs, verify: (context) => runs.verify({ ...context, run: async () => ({}) as never }) }],
  })
  expect(result.attempts[0]?.failures).toMatchObject([
    { kind: 'lint', message: expect.stringContaining('undefined_name') },
  ])
  expect(result.status).toBe('verified')
})
