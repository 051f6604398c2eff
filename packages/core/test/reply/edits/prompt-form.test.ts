// The form of a reply that a refinement asks for.
import { expect, test } from 'vitest'
import { refinementMessages, systemPrompt } from '../../../src/feedback/prompt.js'
import { extractEdits } from '../../../src/reply/edits/extract-edits.js'

const input = {
  goal: 'Write f.',
  language: 'python',
  entry: 'solution.py',
  program: { files: { 'solution.py': 'x = 1\n' }, entry: 'solution.py' },
  feedback: 'It failed.',
}

test('whole files by default, search/replace blocks when asked for', () => {
  const last = (messages: ReturnType<typeof refinementMessages>): unknown => messages.at(-1)?.content
  expect(last(refinementMessages(input))).toContain('every file that has to change, whole')
  expect(refinementMessages(input)[0]?.content).toBe(systemPrompt('python'))
  expect(systemPrompt('python')).not.toContain('SEARCH')
  const edits = refinementMessages({ ...input, replyForm: 'edits' })
  expect(last(edits)).toContain('SEARCH/REPLACE blocks')
  expect(edits[0]?.content).toBe(systemPrompt('python', 'edits'))
})

test('the block that the prompt shows is one that is read', () => {
  const { edits, problems } = extractEdits(
    systemPrompt('python', 'edits').replace('path/of/file', 'lib/file.py'),
  )
  expect(problems).toEqual([])
  expect(edits).toMatchObject([{ form: 'search-replace', path: 'lib/file.py', change: 'modify' }])
})
