// Several programs for one task: distinct by their code, each judged by itself.
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../src/contract/model.js'
import type { Verifier } from '../../src/contract/verify.js'
import { repairAlternatives } from '../../src/repair/alternatives.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { pythonTests } from '../../src/verify/python-tests.js'
import { requires } from '../helpers/requires.js'
import { holdsGood, modelOf, numbers, program, promptOf, runWith, task } from './alternatives-script.js'

describe('what comes back', () => {
  test('distinct programs, each with its verdict, the best first', async () => {
    const model = modelOf(({ number }) => program(number === 2 ? 'x = "good"' : `x = ${number}`))
    const result = await runWith(model, { budget: { attempts: 1 } })
    expect(result.best).toMatchObject({
      status: 'verified',
      candidate: { files: { 'solution.py': 'x = "good"\n' } },
    })
    expect(numbers(result.alternatives)).toEqual([2, 1, 3])
    expect(result.alternatives.map(({ status, verdicts }) => [status, verdicts[0]?.status])).toEqual([
      ['verified', 'pass'],
      ['exhausted', 'fail'],
      ['exhausted', 'fail'],
    ])
    expect(result.best).toBe(result.alternatives[0]?.result)
    expect(new Set(result.alternatives.map(({ codeFingerprint }) => codeFingerprint)).size).toBe(3)
    expect(result).toMatchObject({ distinct: 3, duplicates: [], withoutProgram: [] })
    expect(result.shortfall).toBeUndefined()
  })

  test('of programs that fail, the one that passes more is the best', async () => {
    const three: Verifier = {
      ...holdsGood,
      name: 'is three',
      verify: async ({ candidate }) => ({
        status: candidate.files['solution.py'] === 'x = 3\n' ? 'pass' : 'fail',
        integrity: 'shared',
        failures: [],
      }),
    }
    const model = modelOf(({ number }) => program(`x = ${number}`))
    const { alternatives, best } = await runWith(
      model,
      { budget: { attempts: 1 } },
      { verify: [holdsGood, three] },
    )
    expect(numbers(alternatives)).toEqual([3, 1, 2])
    expect(best).toBe(alternatives[0]?.result)
  })

  test('what all runs cost, duplicates included', async () => {
    const model = modelOf(({ number, isAgain }) => program(`x = "good ${isAgain ? number : 0}"`))
    const result = await runWith(model)
    const all = [...result.alternatives, ...result.duplicates]
    expect(all).toHaveLength(5)
    expect(result.spent).toMatchObject({
      attempts: 5,
      modelCalls: model.calls.length,
      totalTokens: all.reduce((sum, one) => sum + one.result.spent.totalTokens, 0),
    })
    expect(result.spent.costUsd).toBeUndefined()
  })

  test('a run without a program is told as such, and is not the best while another has one', async () => {
    const model = modelOf(({ number }) => (number === 1 ? 'I cannot.' : program(`x = ${number}`)))
    const result = await runWith(model, { alternatives: 2, budget: { attempts: 1, formatErrors: 0 } })
    expect(numbers(result.withoutProgram)).toEqual([1])
    expect(numbers(result.alternatives)).toEqual([2])
    expect(result.best).toBe(result.alternatives[0]?.result)
    expect(result.shortfall).toBe('1 distinct program is there, and 2 were asked for: 1 came to no program.')
  })

  test('without any program the best is still a result', async () => {
    const result = await runWith(
      modelOf(() => 'I cannot.'),
      { budget: { formatErrors: 0 } },
    )
    expect(result).toMatchObject({ distinct: 0, best: { status: 'exhausted', budget: 'formatErrors' } })
    expect(result.best).toBe(result.withoutProgram[0]?.result)
  })

  test('each alternative can be gone on with alone', async () => {
    const model = modelOf(({ number, isMending }) => program(`x = "${isMending ? 'good' : 'bad'} ${number}"`))
    const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 1 } })
    const { alternatives } = await repairAlternatives(loop, task, { alternatives: 2 })
    const second = alternatives.find(({ alternative }) => alternative === 2)
    if (second === undefined) throw new Error('The second alternative is missing.')
    const { result } = loop.resume(second.task, second.state, { budget: { attempts: 2 } })
    expect(await result).toMatchObject({
      status: 'verified',
      candidate: { files: { 'solution.py': 'x = "good 2"\n' } },
      spent: { modelCalls: 2 },
    })
  })
})

describe('distinctness', () => {
  test('comments, layout and local names make no other program: it is run again, and told from what to differ', async () => {
    const bodies = [
      'def f():\n    x = "good"\n    return x',
      '# other\ndef f():\n    y  = "good"\n    return y',
    ]
    const model = modelOf(({ number, isAgain }) =>
      program(isAgain ? 'f = lambda: "good"' : (bodies[number - 1] ?? '')),
    )
    const result = await runWith(model, { alternatives: 2 }, { note: 'Be kind.' })
    expect(result).toMatchObject({
      distinct: 2,
      duplicates: [{ alternative: 2, sameAs: 1, status: 'verified' }],
    })
    expect(result.duplicates[0]?.result.spent.modelCalls).toBe(1)
    expect(result.shortfall).toBeUndefined()
    const last = promptOf(model.calls.at(-1) as ModelRequest)
    expect(last).toContain('Be kind.\n\nThis is alternative 2 of 2. An earlier try came to the same code')
    expect(last).toContain('x = "good"')
  })

  test.each([
    [0, 3, 'came to the code of another one'],
    [1, 5, 'came to the code of another one'],
    [3, 9, 'came to the code of another one'],
  ])(
    'with %i further tries %i runs are made, and what is missing is said',
    async (distinctTries, runs, why) => {
      const model = modelOf(() => program('x = "good"'))
      const result = await runWith(model, { distinctTries })
      expect(model.calls).toHaveLength(runs)
      expect(result.duplicates).toHaveLength(runs - 1)
      expect(numbers(result.alternatives)).toEqual([1])
      expect(result.shortfall).toBe(`1 distinct program is there, and 3 were asked for: 2 ${why}.`)
    },
  )

  test('of the same code the run counts in which it passed', async () => {
    let judged = 0
    const flaky: Verifier = {
      ...holdsGood,
      verify: async () => ({ status: ++judged === 1 ? 'fail' : 'pass', integrity: 'shared', failures: [] }),
    }
    const options = { alternatives: 2, concurrency: 1, distinctTries: 0, budget: { attempts: 1 } }
    const result = await runWith(
      modelOf(() => program('x = 1')),
      options,
      { verify: [flaky] },
    )
    expect(result.alternatives).toMatchObject([{ alternative: 2, status: 'verified' }])
    expect(result.duplicates).toMatchObject([{ alternative: 1, sameAs: 2, status: 'exhausted' }])
  })

  test('a program that was handed in and passes is the only one, and no model is asked', async () => {
    const model = modelOf(() => program('x = 1'))
    const result = await runWith(model, { alternatives: 2 }, { program: { 'solution.py': 'x = "good"\n' } })
    expect(result).toMatchObject({ distinct: 1, best: { status: 'verified' } })
    expect(result.duplicates).toHaveLength(1)
    expect(model.calls).toHaveLength(0)
  })
})

test('the first prompt is that of any run; the others ask for another approach, each in words of its own', async () => {
  const model = modelOf(({ number }) => program(`x = "good ${number}"`))
  await runWith(model, { concurrency: 1 })
  const plain = modelOf(() => program('x = "good"'))
  await createRepairLoop({ model: plain, sandbox: memorySandbox() }).run(task)
  const prompts = model.calls.map(promptOf)
  expect(prompts[0]).toBe(promptOf(plain.calls[0] as ModelRequest))
  expect(prompts[1]).toContain(
    'alternative 2 of 3, each written by itself: the approach that comes to mind first is taken',
  )
  expect(prompts[2]).toContain(
    'alternative 3 of 3, each written by itself: the 2 approaches that come to mind first are taken',
  )
})

describe.skipIf(!requires('python3'))('with real programs', () => {
  const tests = pythonTests(
    'from solution import total\n\ndef test_total():\n    assert total([1, 2, 3]) == 6',
  )
  const ways = [
    'def total(xs):\n    return sum(xs)',
    'from functools import reduce\n\n\ndef total(xs):\n    return reduce(lambda a, b: a + b, xs, 0)',
    'def total(xs):\n    result = 0\n    for x in xs:\n        result += x\n    return result',
  ]

  test('each is mended in sandboxes of its own until its tests pass', async () => {
    const model = modelOf(({ number, isMending, isAgain }) => {
      if (!isMending) return program(`def total(xs):\n    return ${number}`)
      // The third writes what the first has written, but for a name and a comment, until it is told.
      if (number === 3 && !isAgain) return program(`# mine\n${ways[0]}`)
      return program(ways[number - 1] ?? '')
    })
    const loop = createRepairLoop({ model, sandbox: subprocess({ minimum: 'process' }) })
    const result = await repairAlternatives(
      loop,
      { goal: 'Write total(xs).', language: 'python', verify: [tests] },
      { alternatives: 3, budget: { attempts: 3 } },
    )
    expect(numbers(result.alternatives).sort()).toEqual([1, 2, 3])
    for (const { alternative, result: one, verdicts, candidate } of result.alternatives) {
      expect(one.attempts.map(({ passed }) => passed)).toEqual([false, true])
      expect(verdicts).toMatchObject([{ status: 'pass', integrity: 'separate' }])
      expect(candidate.files['solution.py']).toBe(`${ways[alternative - 1]}\n`)
    }
    expect(result.duplicates).toMatchObject([{ alternative: 3, sameAs: 1, status: 'verified' }])
    expect(result.best.status).toBe('verified')
  }, 60_000)
})
