// Edits in the loop: long programs are mended by them, and one that fails is asked for as a whole file.
import { expect, test } from 'vitest'
import type { Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const long = Array.from({ length: 120 }, (_, index) => `x${index} = ${index}`).join('\n')
const edit = (search: string, replace: string): string =>
  `solution.py\n\`\`\`python\n<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n\`\`\`\n`

const holdsGood: Verifier = {
  name: 'good',
  visibility: 'visible',
  verify: async ({ candidate }) =>
    candidate.files['solution.py']?.includes('good')
      ? { status: 'pass', integrity: 'shared', failures: [] }
      : {
          status: 'fail',
          integrity: 'shared',
          failures: [{ kind: 'custom', message: 'not good', fingerprint: 'x' }],
        },
}
const task = (program: string) => ({
  goal: 'Make it good.',
  language: 'python',
  program: { 'solution.py': program },
  verify: [holdsGood],
})
const asked = (model: ReturnType<typeof scriptedModel>, call: number): string =>
  (model.calls[call]?.messages ?? []).map(({ content }) => String(content)).join('\n')

test('a long program is mended by edits, the rest of it as it was', async () => {
  const model = scriptedModel([edit('x7 = 7', 'x7 = "good"')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(task(long))
  expect(result.status === 'verified' && result.candidate.files['solution.py']).toBe(
    `${long.replace('x7 = 7', 'x7 = "good"')}`,
  )
  expect(asked(model, 0)).toContain('<<<<<<< SEARCH')
})

test('an edit that fails costs the edit budget, shows the nearest lines, and whole files are asked for', async () => {
  const model = scriptedModel([edit('x7 = 8', 'x7 = "good"'), edit('x7 = 7', 'x7 = "good"')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(task(long))
  expect(result).toMatchObject({ status: 'verified', spent: { attempts: 1, editErrors: 1 } })
  expect(asked(model, 1)).toContain('x7 = 7')
  expect(asked(model, 1)).toMatch(/The last reply could not be used\..*solution\.py/s)
  expect(asked(model, 1)).not.toContain('<<<<<<< SEARCH')
})

test('a short program is asked for whole, and an edit is taken all the same', async () => {
  const model = scriptedModel([edit('x = 1', 'x = "good"')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(task('x = 1\ny = 2\n'))
  expect(result.status === 'verified' && result.candidate.files).toEqual({
    'solution.py': 'x = "good"\ny = 2\n',
  })
  expect(asked(model, 0)).not.toContain('<<<<<<< SEARCH')
})

test('a file that a patch deletes is gone', async () => {
  const patch =
    '```diff\n--- a/solution.py\n+++ b/solution.py\n@@ -1 +1 @@\n-import helper\n+good = 1\n--- a/helper.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-y = 1\n```\n'
  const model = scriptedModel([patch])
  const loop = createRepairLoop({ model, sandbox: memorySandbox() })
  const result = await loop.run({
    ...task(''),
    program: { 'solution.py': 'import helper\n', 'helper.py': 'y = 1\n' },
  })
  expect(result.status === 'verified' && result.candidate.files).toEqual({ 'solution.py': 'good = 1\n' })
})
