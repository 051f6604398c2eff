// Cases of edits: what they make of the files is compared, and a lie is found out.
import { expect, test } from 'vitest'
import type { CaseOutcome } from '../cases/bug-case.js'
import { runCase } from '../cases/run-case.js'
import { caseMaker } from './helpers/case-of.js'

const makeCase = caseMaker('edit')
const block = (search: string, replace: string): string =>
  `a.py\n\`\`\`\n<<<<<<< SEARCH\n${search}=======\n${replace}>>>>>>> REPLACE\n\`\`\`\n`

const outcomeOf = (reply: string, expectations: Record<string, unknown>): Promise<CaseOutcome> =>
  runCase(
    makeCase(
      { 'before.py': 'x = 1\nx = 1\ny = 2\n', 'after.py': 'x = 1\nx = 1\ny = 3\n', 'reply.md': reply },
      { files: { 'a.py': 'before.py' }, input: 'reply.md' },
      expectations,
    ),
  )

const good = block('y = 2\n', 'y = 3\n')
const twice = block('x = 1\n', 'x = 2\n')
const fresh = block('', 'z = 1\n').replace('a.py', 'new.py')
const counted = '--- a/a.py\n+++ b/a.py\n@@ -3,9 +3,9 @@\n-y = 2\n+y = 3\n'

test.each<[what: string, reply: string, right: Record<string, unknown>, lie: Record<string, unknown>]>([
  ['applied', good, { applied: true }, { applied: false }],
  ['content', good, { content: { 'a.py': 'after.py' } }, { content: { 'a.py': 'before.py' } }],
  ['contentText', fresh, { contentText: { 'new.py': 'z = 1\n' } }, { contentText: { 'new.py': 'z = 1' } }],
  ['created', fresh, { created: ['new.py'] }, { created: ['a.py'] }],
  ['notCreated', fresh, { notCreated: ['old.py'] }, { notCreated: ['new.py'] }],
  ['reason', twice, { reason: 'ambiguous' }, { reason: 'no-match' }],
  ['matches', twice, { matches: 2 }, { matches: 1 }],
  ['lines', twice, { lines: [1, 2] }, { lines: [1] }],
  ['unchanged', twice, { unchanged: true }, { unchanged: false }],
  ['warnings', counted, { warningsInclude: ['hunk-recounted'] }, { warningsInclude: ['never'] }],
  ['alternatives', good, { oneOf: [{ applied: false }, { applied: true }] }, { oneOf: [{ applied: false }] }],
])('%s', async (_, reply, right, lie) => {
  expect(await outcomeOf(reply, right)).toEqual({ status: 'passed' })
  expect(await outcomeOf(reply, lie)).toMatchObject({ status: 'failed' })
})

test.each([{ odd: 1 }, { oneOf: [] }, { oneOf: [{ odd: 1 }] }, { never: 'words alone' }, { content: {} }])(
  'a case that is not understood fails: %j',
  async (expectations) => {
    expect(await outcomeOf(good, expectations)).toMatchObject({ status: 'failed' })
  },
)
