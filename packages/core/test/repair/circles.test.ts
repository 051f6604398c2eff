// A run that goes in circles: what comes again is seen, told, answered with another way, and ended.
import { expect, test } from 'vitest'
import type { RunState } from '../../src/contract/loop.js'
import type { Verdict, Verifier } from '../../src/contract/verify.js'
import { createRepairLoop, type RepairLoopOptions } from '../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../src/repair/repair-task.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { type ScriptedModel, scriptedModel } from '../../src/testing/scripted-model.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

/** Fails with what is in the first string of the program; `good` passes. */
const says: Verifier = {
  name: 'says',
  visibility: 'visible',
  async verify({ candidate, run }) {
    await run()
    const message = /"([^"]*)"/.exec(candidate.files['solution.py'] ?? '')?.[1] ?? 'nothing'
    if (message === 'good') return { status: 'pass', integrity: 'shared', failures: [] }
    return {
      status: 'fail',
      integrity: 'shared',
      failures: [{ kind: 'custom', message, fingerprint: message }],
    }
  },
}

const task = (extra: Partial<RepairTask> = {}): RepairTask => ({
  goal: 'Say good.',
  language: 'python',
  verify: [says],
  ...extra,
})

const loopOf = (model: ScriptedModel, more: Partial<RepairLoopOptions> = {}, sandbox = memorySandbox()) =>
  createRepairLoop({ model, sandbox, budget: { attempts: 20 }, ...more })

const said = (model: ScriptedModel, call: number): string =>
  (model.calls[call]?.messages ?? []).map(({ content }) => String(content)).join('\n')

test('the same program again is told, not run, answered with a fresh start, and ends the run', async () => {
  const sandbox = memorySandbox()
  const model = scriptedModel(Array(9).fill(program('x = "a"')))
  const result = await loopOf(model, {}, sandbox).run(task())
  expect(result).toMatchObject({ status: 'stalled', spent: { attempts: 4, modelCalls: 4 } })
  expect(result.status === 'stalled' && result.reason).toBe(
    '3 attempts repeated earlier ones without getting further; the last brought back the same program as attempt 1',
  )
  expect(sandbox.commands).toHaveLength(1)
  expect(result.attempts.map(({ repeats }) => repeats)).toEqual([
    undefined,
    ...Array(3).fill({ kind: 'text', of: 1, wasRun: false }),
  ])
  expect(said(model, 2)).toContain('Attempt 2 is the same code as attempt 1, to the letter')
  expect(said(model, 2)).toContain('x = "a"')
  // Another way: the program is not shown any more.
  expect(said(model, 3)).not.toContain('x = "a"')
  expect(said(model, 3)).toContain('in another way')
})

test('other comments, layout and local names do not hide it, and it is run all the same', async () => {
  const sandbox = memorySandbox()
  const model = scriptedModel([
    program('def f():\n    x = "a"\n    return x'),
    program('# mended\ndef f():\n    y  =  "a"\n    return y  # now'),
    ...Array(3).fill(program('print("good")')),
  ])
  const result = await loopOf(model, {}, sandbox).run(task())
  expect(result.status).toBe('verified')
  expect(result.attempts[1]?.repeats).toEqual({ kind: 'code', of: 1, wasRun: true })
  expect(said(model, 2)).toContain('Attempt 2 is the same code as attempt 1 but for comments')
  expect(sandbox.commands).toHaveLength(3)
})

test.each([
  ['two programs that take turns', ['x = "a"', 'x = "b"']],
  ['three in turn', ['x = "a"', 'x = "b"', 'x = "c"']],
  ['four in turn', ['x = "a"', 'x = "b"', 'x = "c"', 'x = "d"']],
])('%s are seen', async (_, bodies) => {
  const model = scriptedModel(
    Array.from({ length: 20 }, (_, index) => program(bodies[index % bodies.length] ?? '')),
  )
  const result = await loopOf(model).run(task())
  expect(result).toMatchObject({ status: 'stalled', spent: { attempts: bodies.length + 3 } })
})

test('the same failure of other programs counts as well', async () => {
  const model = scriptedModel(Array.from({ length: 20 }, (_, index) => program(`x = "a"\ny = ${index}`)))
  const result = await loopOf(model).run(task())
  expect(result).toMatchObject({ status: 'stalled', spent: { attempts: 4 } })
  expect(result.attempts[1]?.repeats).toEqual({ kind: 'failure', of: 1, wasRun: true })
  expect(said(model, 2)).toContain('failed in the same way as attempt 1')
})

test('an attempt that gets further begins the count anew', async () => {
  const tests = (passed: number): Verdict => ({
    status: passed === 5 ? 'pass' : 'fail',
    integrity: 'shared',
    tests: Array.from({ length: 5 }, (_, index) => ({
      name: `t${index}`,
      status: index < passed ? ('pass' as const) : ('fail' as const),
    })),
    failures: passed === 5 ? [] : [{ kind: 'assertion', message: 'no', fingerprint: 'no' }],
  })
  const counting: Verifier = {
    name: 'counting',
    visibility: 'visible',
    verify: async ({ candidate }) => tests(Number(/\d/.exec(candidate.files['solution.py'] ?? '')?.[0])),
  }
  const bodies = [0, 0, 0, 1, 1, 1, 2, 2, 2, 5].map((one, index) => `x = ${one}\ny = "${'z'.repeat(index)}"`)
  const result = await loopOf(scriptedModel(bodies.map(program))).run(task({ verify: [counting] }))
  expect(result).toMatchObject({ status: 'verified', spent: { attempts: 10 } })
})

test('with stallAfter: false everything is run and only a budget ends it', async () => {
  const sandbox = memorySandbox()
  const model = scriptedModel(Array(6).fill(program('x = "a"')))
  const result = await loopOf(model, { stallAfter: false, budget: { attempts: 6 } }, sandbox).run(task())
  expect(result).toMatchObject({ status: 'exhausted', budget: 'attempts' })
  expect(sandbox.commands).toHaveLength(6)
})

test('from the second repeat on another model is asked, or the same one less predictably', async () => {
  const model = scriptedModel(Array(9).fill(program('x = "a"')))
  const other = scriptedModel([program('x = "good"')], { id: 'other' })
  const result = await loopOf(model, { temperature: 0, onStall: { model: other, temperature: 0.9 } }).run(
    task(),
  )
  expect(result.status).toBe('verified')
  expect(model.calls.map(({ temperature }) => temperature)).toEqual([0, 0, 0])
  expect(other.calls.map(({ temperature }) => temperature)).toEqual([0.9])
})

test('an outage is no repeat of the model', async () => {
  const model = scriptedModel([
    program('x = "a"'),
    ...Array.from({ length: 3 }, () => new Error('503')),
    program('x = "good"'),
  ])
  expect((await loopOf(model).run(task())).status).toBe('verified')
})

test('a failure that says nothing, or says another value, is no repeat', async () => {
  let value = 0
  const counts: Verifier = {
    name: 'counts',
    visibility: 'visible',
    verify: async ({ candidate }) => ({
      status: 'fail',
      integrity: 'shared',
      failures: candidate.files['solution.py']?.includes('silent')
        ? []
        : [{ kind: 'assertion', message: 'no', fingerprint: 'no', actual: String(value++) }],
    }),
  }
  for (const word of ['silent', 'told']) {
    const model = scriptedModel(Array.from({ length: 6 }, (_, index) => program(`# ${word}\nx = ${index}`)))
    const result = await loopOf(model, { budget: { attempts: 6 } }).run(task({ verify: [counts] }))
    expect(result).toMatchObject({ status: 'exhausted', budget: 'attempts' })
  }
})

test('after a fresh start what the program was given with is kept and shown, and nothing that attempts have added', async () => {
  const given = { 'solution.py': 'x = "a"', 'table.py': 'rows = 3\n' }
  const shadow = 'solution.py\n```python\nx = "b"\n```\n\nrandom.py\n```python\ny = 1\n```\n'
  const model = scriptedModel([shadow, shadow, shadow, program('x = "good"')])
  const result = await loopOf(model).run(task({ program: given }))
  expect(result.status === 'verified' && result.candidate.files).toEqual({
    'solution.py': 'x = "good"\n',
    'table.py': 'rows = 3\n',
  })
  expect(said(model, 3)).toContain('rows = 3')
  expect(said(model, 3)).not.toContain('y = 1')
})

test('the next prompt has a line for every attempt that its feedback is not about', async () => {
  const model = scriptedModel(
    ['a', 'b', 'b', 'b', 'good'].map((one, index) => program(`x = "${one}"\n# ${index}`)),
  )
  await loopOf(model).run(task())
  expect(said(model, 2)).toContain('- attempt 1: a (failing: says)')
  expect(said(model, 2)).not.toContain('- attempt 2')
  // It starts afresh: told is how the last one went.
  expect(said(model, 4)).toContain('- attempt 3: b (failing: says)')
  expect(said(model, 4)).toContain('Attempt 4: 0 of 1 checks passed.')
})

test('a program whose check was mended is judged anew by the run that is resumed', async () => {
  const first = loopOf(scriptedModel([program('x = "better"')]), { budget: { attempts: 1 } }).start(task())
  await first.result
  const isBetter: Verifier = {
    ...says,
    verify: async ({ candidate, run }) => {
      await run()
      const isRight = candidate.files['solution.py']?.includes('better') === true
      return { status: isRight ? 'pass' : 'fail', integrity: 'shared', failures: [] }
    },
  }
  const resumed = loopOf(scriptedModel([program('x = "better"')])).resume(
    task({ verify: [isBetter] }),
    first.state(),
  )
  expect((await resumed.result).status).toBe('verified')
})

test('the count goes on in a run that is resumed', async () => {
  const first = scriptedModel(Array(2).fill(program('x = "a"')))
  const before = await loopOf(first, { budget: { attempts: 2 } }).start(task())
  await before.result
  const state = JSON.parse(JSON.stringify(before.state())) as RunState
  const second = scriptedModel(Array(9).fill(program('x = "a"')))
  const result = await loopOf(second).resume(task(), state).result
  expect(result).toMatchObject({ status: 'stalled', spent: { attempts: 4 } })
  expect(second.calls).toHaveLength(2)
})

test('a stalled run that somebody goes on with has its chances again', async () => {
  const first = loopOf(scriptedModel(Array(9).fill(program('x = "a"')))).start(task())
  expect((await first.result).status).toBe('stalled')
  const second = scriptedModel([program('x = "a"'), program('x = "good"')])
  const resumed = loopOf(second).resume(task({ note: 'Say good.' }), first.state())
  expect((await resumed.result).status).toBe('verified')
  expect(said(second, 0)).toContain('A person advises:\nSay good.')
})

test('a person gets the best program, what was tried and what still fails', async () => {
  const model = scriptedModel([program('x = "a"'), program('x = "b"')])
  const result = await loopOf(model, { budget: { attempts: 2 } }).run(task())
  expect(result.status === 'exhausted' && result.handover).toEqual({
    best: { files: { 'solution.py': 'x = "a"\n' }, entry: 'solution.py' },
    turns: ['attempt 1: a (failing: says)', 'attempt 2: b (failing: says)'],
    failingChecks: ['says'],
    question:
      'The budget "attempts" ended before every check passed. Go on with a larger one, with a hint, or not at all?',
  })
})
