// A total is handed out in parts that never come to more than it is.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Spent } from '../../src/contract/budget.js'
import { SharedTotal } from '../../src/repair/alternatives-total.js'

const spent = (of: Partial<Spent>): Spent => ({
  attempts: 0,
  formatErrors: 0,
  editErrors: 0,
  infrastructureErrors: 0,
  modelCalls: 0,
  usage: {},
  totalTokens: 0,
  costUsd: 0,
  wallMs: 0,
  executionMs: 0,
  ...of,
})

test('runs at the same time have equal parts, and what one leaves over goes to the next', () => {
  const shared = new SharedTotal({ modelCalls: 10, costUsd: 3 })
  const parts = [3, 2, 1].map((waiting) => shared.take(waiting))
  expect(parts.map(({ budget }) => budget)).toEqual([
    { modelCalls: 4, costUsd: 1 },
    { modelCalls: 3, costUsd: 1 },
    { modelCalls: 3, costUsd: 1 },
  ])
  expect(shared.take(1)).toMatchObject({ budget: { modelCalls: 0, costUsd: 0 }, ended: 'modelCalls' })
  for (const part of parts) shared.giveBack(part, spent({ modelCalls: 2, costUsd: 0.5 }))
  expect(shared.take(1).budget).toEqual({ modelCalls: 4, costUsd: 1.5 })
})

test('more than was handed out may have been spent: nothing is left then', () => {
  const shared = new SharedTotal({ totalTokens: 100 })
  shared.giveBack(shared.take(1), spent({ totalTokens: 140 }))
  expect(shared.take(1)).toEqual({ budget: { totalTokens: 0 }, ended: 'totalTokens' })
})

test('a cost that is not known counts as all of it', () => {
  const shared = new SharedTotal({ costUsd: 5 })
  const { costUsd: _, ...unknown } = spent({})
  shared.giveBack(shared.take(2), unknown)
  expect(shared.take(1)).toMatchObject({ budget: { costUsd: 0 }, ended: 'costUsd' })
})

test('no part is larger than what a run may spend anyway, and that alone does not end the total', () => {
  const shared = new SharedTotal({ modelCalls: 10, wallMs: 1000 }, { modelCalls: 2, wallMs: 50 }, () => 0)
  expect(shared.take(1)).toEqual({ budget: { modelCalls: 2, wallMs: 50 } })
})

test('time is the same for all, and is not handed out', () => {
  let now = 100
  const shared = new SharedTotal({ wallMs: 1000 }, {}, () => now)
  expect([shared.take(2).budget, shared.take(1).budget]).toEqual([{ wallMs: 1000 }, { wallMs: 1000 }])
  now = 1099.5
  expect(shared.take(1)).toEqual({ budget: { wallMs: 0 }, ended: 'wallMs' })
})

test('whatever starts and ends, no more calls are handed out than there are', () => {
  const step = fc.record({
    waiting: fc.integer({ min: 1, max: 9 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.nat(50), fc.array(step, { maxLength: 40 }), (modelCalls, steps) => {
      const shared = new SharedTotal({ modelCalls })
      let gone = 0
      for (const [index, { waiting, share }] of steps.entries()) {
        const part = shared.take(waiting)
        const calls = part.budget.modelCalls ?? 0
        const used = Math.floor(calls * share)
        // Every third run goes on for good.
        if (index % 3 !== 0) shared.giveBack(part, spent({ modelCalls: used }))
        gone += index % 3 === 0 ? calls : used
        expect(gone).toBeLessThanOrEqual(modelCalls)
      }
    }),
  )
})
