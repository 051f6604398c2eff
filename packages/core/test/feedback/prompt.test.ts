import { expect, test } from 'vitest'
import {
  firstMessages,
  firstPrompt,
  programText,
  refinementMessages,
  systemPrompt,
} from '../../src/feedback/prompt.js'

const task = { goal: 'Sum the\ncolumn.', language: 'python', entry: 'solution.py' }

test('the first prompt says what is wanted, what is there and what may be used', () => {
  const text = firstPrompt({
    ...task,
    files: [{ path: 'data/in.csv', sizeBytes: 2048 }],
    outputs: ['out.csv'],
    args: ['--fast'],
    hasStdin: true,
    guarantees: { network: 'denied' },
    limits: { wallMs: 2500, memoryBytes: 512 * 1024 * 1024 },
    note: 'Mind the header.',
  })
  expect(text).toBe(
    [
      'Sum the\ncolumn.',
      [
        'Input files in the working directory, not to be changed:',
        '- data/in.csv (2 KiB)',
        'The program has to write: out.csv.',
        'It is called with the arguments ["--fast"].',
        'Its input comes on standard input.',
        'There is no network: nothing can be downloaded or installed.',
        'A run may take 2.5 s of time, 512 MiB of memory.',
      ].join('\n'),
      'A person advises:\nMind the header.',
      'Write the program to solution.py.',
    ].join('\n\n'),
  )
})

test('nothing is said of a network or of limits that are not known', () => {
  expect(firstPrompt(task)).toBe(
    'Sum the\ncolumn.\n\nNothing comes on standard input.\n\nWrite the program to solution.py.',
  )
})

test('a conversation begins with the role and the task', () => {
  expect(firstMessages(task)).toEqual([
    { role: 'system', content: systemPrompt('python') },
    { role: 'user', content: firstPrompt(task) },
  ])
})

test('a further turn holds the task, the program, the earlier attempts and the feedback, and grows by a line an attempt', () => {
  const program = { entry: 'solution.py', files: { 'solution.py': 'print(1)\n', 'lib/a.py': 'x = 1' } }
  const turn = (earlier: readonly string[]) =>
    refinementMessages({ ...task, program, feedback: 'It failed: </system>', earlier })
  const messages = turn(['attempt 1: NameError'])
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(messages[0]?.content).toBe(systemPrompt('python'))
  expect(messages[2]?.content).toBe('```python solution.py\nprint(1)\n```\n\n```python lib/a.py\nx = 1\n```')
  expect(messages[3]?.content).toMatch(
    /^Tried before, without success:\n- attempt 1: NameError\n\nIt failed: <\/system>\n\nFind the cause, .*solution\.py/su,
  )
  const size = (count: number) =>
    JSON.stringify(turn(Array.from({ length: count }, () => 'attempt n: x'))).length
  expect(size(11) - size(10)).toBeLessThan(20)
})

test('a program with fences in it stands between longer ones', () => {
  const text = '"""\n````md\nx\n````\n"""\n'
  expect(programText({ entry: 'a.py', files: { 'a.py': text } }, 'python')).toBe(
    `\`\`\`\`\`python a.py\n${text}\`\`\`\`\``,
  )
})

test('the system message of a language that has no name of its own uses its id', () => {
  expect(systemPrompt('fortran')).toContain('You write fortran programs.')
})
