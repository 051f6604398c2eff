// How many tokens a text is, roughly: for budgets when a server reports no usage, and to notice a prompt that was cut.
import type { Message, ToolSpec } from '../contract/model.js'

// English text and code come to about four bytes a token in the tokenizers of today; other scripts need fewer characters
// but more bytes each, which is why bytes are counted and not characters.
const BYTES_PER_TOKEN = 4

// What OpenAI charges for a 1024 × 1024 picture in high detail (its vision guide, 2024).
const TOKENS_PER_IMAGE = 765

const encoder = new TextEncoder()

/** Tokens of a text, estimated from its length; 0 only for the empty text. */
export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / BYTES_PER_TOKEN)
}

/** Tokens of a prompt, estimated from the length of its texts; a picture counts as one of middle size. */
export function estimatePromptTokens(messages: readonly Message[], tools: readonly ToolSpec[] = []): number {
  const texts: string[] = tools.map((tool) => JSON.stringify(tool))
  let images = 0
  for (const { content, toolCalls } of messages) {
    if (typeof content === 'string') texts.push(content)
    else
      for (const part of content)
        if (part.type === 'text') texts.push(part.text)
        else images++
    for (const call of toolCalls ?? []) texts.push(call.name, call.arguments)
  }
  return estimateTokens(texts.join('')) + images * TOKENS_PER_IMAGE
}
