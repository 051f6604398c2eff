import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimatePromptTokens, estimateTokens } from '../../src/model/token-estimate.js'
import { addUsage, completeUsage, costUsd } from '../../src/model/usage.js'

const price = { inputUsdPerMillion: 2, cachedInputUsdPerMillion: 0.5, outputUsdPerMillion: 8 }

test('cached prompt tokens cost their own price', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 }
  expect(costUsd(usage, price)).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)
})

test('without a price for cached tokens they cost as much as others', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 0 }
  expect(costUsd(usage, { inputUsdPerMillion: 2, outputUsdPerMillion: 8 })).toBeCloseTo(2)
})

test('a cost is unknown when a count is', () => {
  expect(costUsd({ inputTokens: 5 }, price)).toBeUndefined()
  expect(costUsd({ outputTokens: 5 }, price)).toBeUndefined()
})

test('a cost is never negative, whatever a server reports', () => {
  const count = fc.option(fc.nat(), { nil: undefined })
  fc.assert(
    fc.property(count, count, count, (inputTokens, cachedInputTokens, outputTokens) => {
      const usage = {
        ...(inputTokens !== undefined && { inputTokens }),
        ...(cachedInputTokens !== undefined && { cachedInputTokens }),
        ...(outputTokens !== undefined && { outputTokens }),
      }
      const cost = costUsd(usage, price)
      return cost === undefined || (cost >= 0 && Number.isFinite(cost))
    }),
  )
})

test('sums keep unknown counts unknown and carry the flag of an estimate', () => {
  const sum = addUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3, estimated: true })
  expect(sum).toEqual({ inputTokens: 4, outputTokens: 2, estimated: true })
})

test('an estimate fills in only what was not reported, and is flagged', () => {
  const estimate = { inputTokens: 10, outputTokens: 20 }
  expect(completeUsage({ inputTokens: 1, outputTokens: 2 }, estimate)).toEqual({
    inputTokens: 1,
    outputTokens: 2,
  })
  expect(completeUsage({ inputTokens: 1, reasoningTokens: 3 }, estimate)).toEqual({
    inputTokens: 1,
    outputTokens: 20,
    reasoningTokens: 3,
    estimated: true,
  })
})

test('a text has as many tokens as a quarter of its bytes, and none only when it is empty', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens('a')).toBe(1)
  expect(estimateTokens('x'.repeat(64_000))).toBe(16_000)
  expect(estimateTokens('日本語')).toBe(3)
})

test('a prompt counts its texts, tool calls, tools and pictures', () => {
  const messages = [
    { role: 'system' as const, content: 'abcd' },
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'efgh' },
        { type: 'image' as const, mediaType: 'image/png', data: new Uint8Array(9) },
      ],
    },
    {
      role: 'assistant' as const,
      content: '',
      toolCalls: [{ id: 'a', name: 'runs', arguments: '{"a":12}' }],
    },
  ]
  expect(estimatePromptTokens(messages)).toBe(2 + 765 + 3)
  const tool = { name: 'run', description: 'runs code', parameters: {} }
  expect(estimatePromptTokens(messages, [tool])).toBeGreaterThan(estimatePromptTokens(messages))
})
