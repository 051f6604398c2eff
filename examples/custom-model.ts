// A model of your own is one object with `generate`. This one asks nobody: it knows one program.
import { createRepairLoop, expectOutput, type ModelAdapter } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const greeter: ModelAdapter = {
  id: 'greeter',
  specVersion: 'model-v1',
  async generate({ messages, signal }) {
    signal.throwIfAborted()
    const asked = String(messages.at(-1)?.content)
    const name = /greets (\w+)/.exec(asked)?.[1] ?? 'nobody'
    return {
      text: `\`\`\`python\nprint("Hello, ${name}!")\n\`\`\``,
      toolCalls: [],
      finish: 'stop',
      usage: { inputTokens: asked.length, outputTokens: 12 },
    }
  },
}

const loop = createRepairLoop({ model: greeter, sandbox: subprocess() })
const result = await loop.run({
  goal: 'Write a program that greets Ada.',
  language: 'python',
  verify: [expectOutput('Hello, Ada!')],
})
console.log(result.status, result.best?.files['solution.py'])
