// What servers say about tokens, in the words of their API, as a Usage; what cannot be true counts as not said.
import type { Usage } from '@mendloop/core'
import { isRecord } from './json.js'

/**
 * Reads the `usage` object of a reply.
 *
 * @param hasText - whether the reply held anything, since some servers then still report 0 tokens
 */
export function parseUsage(value: unknown, hasText: boolean): Usage {
  if (!isRecord(value)) return {}
  const promptDetails = isRecord(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : {}
  const replyDetails = isRecord(value['completion_tokens_details']) ? value['completion_tokens_details'] : {}
  const input = count(value['prompt_tokens'])
  const cached = count(promptDetails['cached_tokens']) ?? count(value['prompt_cache_hit_tokens'])
  const reasoning = count(replyDetails['reasoning_tokens'])
  const output = withReasoning(
    count(value['completion_tokens']),
    reasoning,
    input,
    count(value['total_tokens']),
  )
  return {
    ...(input !== undefined && input > 0 && { inputTokens: input }),
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(output !== undefined && (output > 0 || !hasText) && { outputTokens: output }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  }
}

/** Some servers leave reasoning out of the reply's tokens; their total gives them away. */
function withReasoning(output?: number, reasoning = 0, input?: number, total?: number): number | undefined {
  if (output === undefined || input === undefined || reasoning === 0) return output
  return total === input + output + reasoning ? output + reasoning : output
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
