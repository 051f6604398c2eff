// A scraper broke on new markup. The loop mends it: it must read the old pages as before, and the new one; a person decides
// whether the result is taken. Arguments: a folder to work in (default: a fresh one), and --yes to approve unasked.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { createRepairLoop, type PythonTestsOptions, pythonTests, type Verifier } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { chooseModel } from './demo/choose-model.js'

const given = process.argv.slice(2).filter((word) => word !== '--yes')
const folder = given[0] ?? (await mkdtemp(join(tmpdir(), 'library-')))
await cp(fileURLToPath(new URL('data/library', import.meta.url)), folder, { recursive: true })
const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8')
const expected: Record<string, unknown> = JSON.parse(await read('expected.json'))

/** The scraper must find on each page what a person found there. */
async function reads(
  name: string,
  pages: readonly string[],
  more: PythonTestsOptions = {},
): Promise<Verifier> {
  const text = (value: unknown): string => `json.loads(${JSON.stringify(JSON.stringify(value))})`
  const tests = pages.map(async (page) => {
    const html = text(await read(`pages/${page}.html`))
    return `def test_${page.replaceAll('-', '_')}():\n    assert books(${html}) == ${text(expected[page])}\n`
  })
  return pythonTests(['import json', 'from scraper import books', ...(await Promise.all(tests))].join('\n'), {
    name,
    ...more,
  })
}

/** Nothing is put in place of the running scraper before this says yes. */
async function approve(diff: string): Promise<boolean> {
  console.log(diff)
  if (process.argv.includes('--yes')) return true
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question('Put this in place? [y/N] ')
  terminal.close()
  return answer.trim().toLowerCase() === 'y'
}

const run = createRepairLoop({
  model: chooseModel(process.env).forTask('heal-a-scraper'),
  sandbox: subprocess(),
}).start({
  goal: [
    'The catalogue has new markup, and books() finds nothing on its pages. Mend it. Pages with the old markup are kept in',
    'an archive and must still be read. This is a new page:',
    await read('pages/new-search.html'),
  ].join('\n'),
  language: 'python',
  entry: 'scraper.py',
  program: { 'scraper.py': await read('scraper.py') },
  verify: [
    await reads('old pages', ['old-search', 'old-nothing-found']),
    await reads('new page', ['new-search']),
    // Another new page, which the model is never shown: the mended scraper must not know only the first by heart.
    await reads('unseen new page', ['new-no-author'], { visibility: 'held-out' }),
  ],
})
run.on('verification-end', ({ attempt, verdict }) => console.log(attempt, verdict.name, verdict.status))

const result = await run.result
if (result.status !== 'verified') throw new Error(`The scraper could not be mended: ${result.status}.`)
const isApproved = await approve(result.diff ?? '')
if (isApproved) await writeFile(join(folder, 'scraper.py'), result.candidate.files['scraper.py'] ?? '')
console.log(isApproved ? `Put in place in ${folder}.` : 'Left as it was.')
