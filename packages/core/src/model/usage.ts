// Arithmetic on token counts: sums, estimates where the server said nothing, and what they cost.
import { z } from 'zod'
import type { Usage } from '../contract/model.js'

/** What tokens cost; passed by the caller, since a table built in would go stale. */
export interface TokenPrice {
  /** US dollars per million prompt tokens. */
  inputUsdPerMillion: number
  /** US dollars per million prompt tokens served from a cache. Default: the same as other prompt tokens. */
  cachedInputUsdPerMillion?: number
  /** US dollars per million reply tokens, reasoning included. */
  outputUsdPerMillion: number
}

const amount = z.number().nonnegative()

/** Schema of {@link TokenPrice}. */
export const tokenPriceSchema: z.ZodType<TokenPrice> = z.strictObject({
  inputUsdPerMillion: amount,
  cachedInputUsdPerMillion: amount.optional(),
  outputUsdPerMillion: amount,
})

/**
 * What a call costs.
 *
 * @returns US dollars; undefined when the prompt's or the reply's tokens are not known
 */
export function costUsd(usage: Usage, price: TokenPrice): number | undefined {
  if (usage.inputTokens === undefined || usage.outputTokens === undefined) return undefined
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const cachedPrice = price.cachedInputUsdPerMillion ?? price.inputUsdPerMillion
  const micros =
    (usage.inputTokens - cached) * price.inputUsdPerMillion +
    cached * cachedPrice +
    usage.outputTokens * price.outputUsdPerMillion
  return micros / 1_000_000
}

/** Sums two usages. What neither knows stays unknown; the sum is an estimate as soon as one of them is. */
export function addUsage(first: Usage, second: Usage): Usage {
  const sum: Usage = {}
  for (const key of ['inputTokens', 'cachedInputTokens', 'outputTokens', 'reasoningTokens'] as const) {
    const left = first[key]
    const right = second[key]
    if (left !== undefined || right !== undefined) sum[key] = (left ?? 0) + (right ?? 0)
  }
  if (first.estimated === true || second.estimated === true) sum.estimated = true
  return sum
}

/** Completes what a server reported with estimates, and flags the result when any was needed. */
export function completeUsage(
  reported: Usage,
  estimate: { inputTokens: number; outputTokens: number },
): Usage {
  if (reported.inputTokens !== undefined && reported.outputTokens !== undefined) return reported
  return { ...estimate, ...reported, estimated: true }
}
