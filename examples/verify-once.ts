// The checks without the loop, for an agent that has a loop of its own.
import { extractCandidate, pythonTests, verifyOnce } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const reply = 'Here you are:\n\n```python\ndef add(a, b):\n    return a - b\n```\n'

const extraction = extractCandidate(reply, { language: 'python' })
if (extraction.status !== 'ok') throw new Error(extraction.failure.message)

const { passed, feedback } = await verifyOnce({
  candidate: extraction.candidate,
  language: 'python',
  verify: [pythonTests('from solution import add\n\ndef test_add():\n    assert add(2, 3) == 5')],
  sandbox: subprocess(),
})
console.log(passed)
console.log(feedback)
