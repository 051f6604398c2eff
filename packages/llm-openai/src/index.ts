// The door: one function and its options.
export type { RetryPolicy, TokenPrice } from '@mendloop/core/adapter'
export { openai } from './openai-model.js'
export type { OpenAIOptions, Timeouts } from './options.js'
