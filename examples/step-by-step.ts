// One attempt at a time, for an agent that owns the outer loop: read a reply, judge what it holds, say what is wrong.
import {
  type Candidate,
  extractCandidate,
  type ModelReply,
  pythonTests,
  renderFeedback,
  verifyOnce,
} from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const language = 'python'
const sandbox = subprocess()
const verify = [pythonTests('from solution import add\n\ndef test_add():\n    assert add(2, 3) == 5')]
const attempts = 3
let current: Candidate = { files: {}, entry: 'solution.py' }

/** What the model is told of its reply; undefined when every check passed. */
async function step(reply: ModelReply, attempt: number): Promise<string | undefined> {
  const extraction = extractCandidate(reply, { language, entry: current.entry, files: current.files })
  if (extraction.status !== 'ok') return extraction.failure.message
  // Files that the reply does not mention stay as they are.
  current = { files: { ...current.files, ...extraction.candidate.files }, entry: current.entry }
  const judged = await verifyOnce({ candidate: current, language, verify, sandbox })
  if (judged.passed) return undefined
  const { warnings } = extraction
  return renderFeedback({
    ...judged,
    candidate: current,
    attempt,
    attemptsLeft: attempts - attempt,
    warnings,
  })
}

const submit = (code: string) =>
  ({
    finish: 'tool',
    toolCalls: [{ id: 'call', name: 'submit', arguments: JSON.stringify({ code }) }],
  }) as const
const model = scriptedModel([
  submit('def add(a, b):\n    return a - b\n'),
  submit('def add(a, b):\n    return a + b\n'),
])

let told: string | undefined = 'Write add(a, b) and submit it.'
for (let attempt = 1; attempt <= attempts && told !== undefined; attempt++) {
  const reply = await model.generate({
    messages: [{ role: 'user', content: told }],
    signal: AbortSignal.timeout(60_000),
  })
  told = await step(reply, attempt)
  console.log(told ?? current.files['solution.py'])
}
