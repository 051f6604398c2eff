// One model of any OpenAI-compatible server, asked directly; a loop does this for you.
import { openai } from '@mendloop/llm-openai'

const model = openai({
  model: 'qwen2.5-coder',
  // Left out, OPENAI_BASE_URL and OPENAI_API_KEY decide, and without them OpenAI itself is asked.
  baseURL: process.argv[2] ?? 'http://127.0.0.1:11434/v1',
  price: { inputUsdPerMillion: 0.25, outputUsdPerMillion: 2 },
})

const reply = await model.generate({
  messages: [{ role: 'user', content: 'Write add(a, b) in Python.' }],
  signal: AbortSignal.timeout(60_000),
  onDelta: (text) => process.stdout.write(text),
})
console.log(`\n${reply.finish}, ${reply.usage.outputTokens} tokens, $${model.price?.(reply.usage)}`)
