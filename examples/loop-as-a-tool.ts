// The repair loop as one tool of a plain tool-calling agent. Both models play a script, so that it runs offline.
import { asTool, createRepairLoop, type Message, pythonTests } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const writer = scriptedModel([
  '```python\ndef median(xs):\n    return sorted(xs)[len(xs) // 2]\n```',
  '```python\nfrom statistics import median\n```',
])
const tool = asTool(createRepairLoop({ model: writer, sandbox: subprocess() }), {
  // What the application decides …
  task: { language: 'python', limits: { wallMs: 5_000 } },
  budget: { attempts: 3 },
  // … and what a call may say besides its goal.
  accept: { tests: pythonTests },
})

const agent = scriptedModel([
  {
    finish: 'tool',
    toolCalls: [
      {
        id: 'call-1',
        name: tool.spec.name,
        arguments: JSON.stringify({
          goal: 'Write median(xs) in solution.py.',
          tests: 'from solution import median\nassert median([4, 1, 3, 2]) == 2.5',
        }),
      },
    ],
  },
  ({ messages }) => `The tool says: ${JSON.parse(String(messages.at(-1)?.content)).summary}`,
])

const { signal } = new AbortController()
const messages: Message[] = [{ role: 'user', content: 'I need the median of a list, in Python.' }]
for (;;) {
  const { text, toolCalls } = await agent.generate({ messages, tools: [tool.spec], signal })
  messages.push({ role: 'assistant', content: text, toolCalls })
  if (toolCalls.length === 0) break
  for (const call of toolCalls) {
    const answer = await tool.execute(call.arguments, { signal })
    messages.push({ role: 'tool', toolCallId: call.id, content: answer.text })
  }
}
for (const { role, content } of messages) console.log(`${role}: ${String(content)}`)
