import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_BUDGET } from '../../src/contract/budget.js'
import { BudgetMeter, resolveBudget } from '../../src/engine/budget-meter.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const meter = (budget: object, now?: () => number) =>
  new BudgetMeter({ ...DEFAULT_BUDGET, ...budget }, undefined, now === undefined ? {} : { now })

test('nothing may be asked when the budget allows no attempt', () => {
  expect(meter({ attempts: 0 }).beforeModelCall()).toBe('attempts')
})

test('a token budget of 0 forbids the first call', () => {
  expect(meter({ totalTokens: 0 }).beforeModelCall()).toBe('totalTokens')
})

test('a call is allowed as long as tokens are left, and no further one after', () => {
  const one = meter({ totalTokens: 100 })
  one.chargeModel({ inputTokens: 40, outputTokens: 20 }, undefined)
  expect(one.beforeModelCall()).toBeUndefined()
  one.chargeModel({ inputTokens: 40, outputTokens: 20 }, undefined)
  expect(one.beforeModelCall()).toBe('totalTokens')
})

test('a cost that is not known counts as reached, since it cannot be kept under a bound', () => {
  const one = meter({ costUsd: 5 })
  expect(one.beforeModelCall()).toBeUndefined()
  one.chargeModel({ inputTokens: 1 }, undefined)
  expect(one.beforeModelCall()).toBe('costUsd')
  expect(one.spent()).not.toHaveProperty('costUsd')
})

test('the wall budget ends by the clock', () => {
  let now = 1000
  const one = meter({ wallMs: 50 }, () => now)
  expect(one.beforeExecution()).toBeUndefined()
  now = 1050
  expect(one.beforeExecution()).toBe('wallMs')
  expect(one.beforeModelCall()).toBe('wallMs')
})

test('executions are summed over their own budget', () => {
  const one = meter({ executionMs: 30 })
  one.chargeExecution(29)
  expect(one.beforeExecution()).toBeUndefined()
  one.chargeExecution(1)
  expect(one.beforeExecution()).toBe('executionMs')
})

test('an error budget of n lets n errors pass', () => {
  const one = meter({ formatErrors: 1 })
  one.count('formatErrors')
  expect(one.exceeded('formatErrors')).toBe(false)
  one.count('formatErrors')
  expect(one.exceeded('formatErrors')).toBe(true)
})

test('what was spent before a resume counts', () => {
  const before = meter({})
  before.chargeModel({ inputTokens: 7, outputTokens: 3 }, 0.5)
  before.count('attempts')
  const after = new BudgetMeter({ ...DEFAULT_BUDGET, attempts: 1 }, before.spent())
  expect(after.beforeModelCall()).toBe('attempts')
  expect(after.spent()).toMatchObject({ modelCalls: 1, totalTokens: 10, costUsd: 0.5, attempts: 1 })
})

test('the sum of usage is the sum of its parts, and what no call reported stays unknown', () => {
  const usage = fc.record({ inputTokens: fc.nat(10_000), outputTokens: fc.nat(10_000) })
  fc.assert(
    fc.property(fc.array(usage, { minLength: 1 }), (calls) => {
      const one = meter({})
      for (const call of calls) one.chargeModel(call, 0)
      const spent = one.spent()
      expect(spent.totalTokens).toBe(
        calls.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, 0),
      )
      expect(spent.usage).not.toHaveProperty('reasoningTokens')
      expect(spent.modelCalls).toBe(calls.length)
    }),
  )
})

test('a cost budget needs a model that knows its price', () => {
  expect(() => resolveBudget('loop', scriptedModel([]), { costUsd: 1 })).toThrow(/does not know its price/)
  expect(resolveBudget('loop', scriptedModel([], { price: () => 0 }), { costUsd: 1 }).costUsd).toBe(1)
})

test('an undefined entry of a budget leaves the default', () => {
  expect(resolveBudget('loop', scriptedModel([]), { attempts: undefined }).attempts).toBe(4)
})

test('as much time as judging took is kept back for the next candidate', () => {
  let now = 0
  const one = meter({ wallMs: 100, executionMs: 50 }, () => now)
  const from = one.spent()
  now = 30
  one.chargeExecution(20)
  one.tookToJudge(from)
  expect(one.beforeModelCall()).toBeUndefined()
  now = 70
  expect(one.beforeModelCall()).toBe('wallMs')
  // What has been asked for may still be run.
  expect(one.beforeExecution()).toBeUndefined()
  now = 60
  one.chargeExecution(10)
  expect(one.beforeModelCall()).toBe('executionMs')
})

test('a call that another has to follow needs two', () => {
  const one = meter({ modelCalls: 2 })
  expect(one.beforeModelCall(2)).toBeUndefined()
  one.chargeModel({}, 0)
  expect([one.beforeModelCall(2), one.beforeModelCall()]).toEqual(['modelCalls', undefined])
})

test('what is left is told of the bounds that there are', () => {
  expect(meter({}).left()).toEqual({})
  const one = meter({ totalTokens: 100, executionMs: 50 })
  one.chargeModel({ inputTokens: 90, outputTokens: 20 }, 0.5)
  one.chargeExecution(20)
  expect(one.left()).toEqual({ tokens: 0, executionMs: 30 })
})
