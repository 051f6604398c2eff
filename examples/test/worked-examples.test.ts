// The worked examples run from end to end: a scraper is mended and taken over, a CI log becomes a patch, tests are tried first.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { pythonHas, requires } from '../../packages/core/test/helpers/requires.js'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = (await isolationHere()) && requires('python3')
const root = fileURLToPath(new URL('../..', import.meta.url))
const data = join(root, 'examples/data')
const TIMEOUT = { timeout: 120_000 }

const folders: string[] = []
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mendloop-worked-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** What an example prints. A key in the environment would start a live model, so nothing of ours is passed on. */
function run(example: string, ...args: string[]): string {
  const { PATH, HOME } = process.env
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', `examples/${example}`, ...args]
  const env = { PATH, HOME }
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 120_000,
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

describe.runIf(isolated)('heal-a-scraper', () => {
  const before = readFileSync(join(data, 'library/scraper.py'), 'utf8')

  test(
    'mends the scraper until old and new pages are read, and puts it in place when told to',
    TIMEOUT,
    () => {
      const folder = freshFolder()
      const output = run('heal-a-scraper.ts', folder, '--yes')

      expect(output.split('\n').slice(0, 7)).toEqual([
        '0 old pages pass',
        '0 new page fail',
        '1 old pages fail',
        '1 new page pass',
        '2 old pages pass',
        '2 new page pass',
        '2 unseen new page pass',
      ])
      expect(output).toContain('diff --git a/scraper.py b/scraper.py')
      expect(output).toMatch(/\nPut in place in .*\.\n$/u)
      // Judged once more without the library: on every page that there is.
      expect(readFileSync(join(folder, 'scraper.py'), 'utf8')).not.toBe(before)
      const program = [
        'import json, pathlib, scraper',
        'for name, books in json.loads(pathlib.Path("expected.json").read_text("utf-8")).items():',
        '    found = scraper.books(pathlib.Path("pages", name + ".html").read_text("utf-8"))',
        '    print(name, len(books), found == books)',
      ].join('\n')
      const { stdout } = spawnSync('python3', ['-B', '-c', program], { cwd: folder, encoding: 'utf8' })
      expect(stdout.trim().split('\n')).toEqual([
        'old-search 3 True',
        'old-nothing-found 0 True',
        'new-search 2 True',
        'new-no-author 1 True',
      ])
    },
  )

  test('leaves everything as it was when nobody approves', TIMEOUT, () => {
    const folder = freshFolder()

    expect(run('heal-a-scraper.ts', folder)).toMatch(/\nLeft as it was\.\n$/u)
    expect(readFileSync(join(folder, 'scraper.py'), 'utf8')).toBe(before)
  })
})

const withTools = isolated && requires('git') && pythonHas('pytest', { isolated: true })

describe.runIf(withTools)('mend-from-log', () => {
  test('finds the test in the log, sees it fail each time, and makes a patch that mends it', TIMEOUT, () => {
    const folder = freshFolder()
    const output = run('mend-from-log.ts', folder)

    expect(output.split('\n').slice(0, 2)).toEqual([
      'Failed in CI: test_at_the_end_of_a_month of tests/test_due_dates.py',
      'ValueError: day is out of range for month',
    ])
    expect(output).toContain('Run again: deterministic, 0 of 3 runs passed.\nVerified after 2 attempts.\n')
    expect(output).toMatch(/\n5 passed\n$/u)
    // The patch alone does it, on the project as it was.
    const project = join(freshFolder(), 'ledger')
    cpSync(join(data, 'ledger'), project, { recursive: true })
    const pytest = (): number | null =>
      spawnSync('python3', ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd: project }).status
    expect(pytest()).toBe(1)
    expect(spawnSync('git', ['apply', join(folder, 'mend.patch')], { cwd: project }).status).toBe(0)
    expect(pytest()).toBe(0)
  })

  test.for([
    ['fails otherwise each time', 'n not in LATE', 'flaky, 0 of 2 runs passed'],
    ['passes here', 'n not in [40]', 'pass'],
  ] as const)('asks no model when the test %s', TIMEOUT, ([, condition, found]) => {
    const [folder, parent] = [freshFolder(), freshFolder()]
    const project = join(parent, 'ledger')
    cpSync(join(data, 'ledger'), project, { recursive: true })
    // Five of forty: that the same ones fail twice does not happen.
    const source = `import random\nimport pytest\nLATE = random.sample(range(40), 5)\n\n@pytest.mark.parametrize("n", range(40))\ndef test_at_the_end_of_a_month(n):\n    assert ${condition}\n`
    writeFileSync(join(project, 'tests/test_due_dates.py'), source)
    const output = run('mend-from-log.ts', folder, project)

    expect(output).toContain(`Run again: ${found}.\nNo patch: `)
    expect(existsSync(join(folder, 'mend.patch'))).toBe(false)
  })
})

test.runIf(isolated)('prove-a-fault lets only the test decide that shows the fault', TIMEOUT, () => {
  expect(run('prove-a-fault.ts').split('\n')).toEqual([
    'names what is not there: wrong-reason',
    'asks for what works: no-fault',
    'stumbles itself: wrong-reason',
    'shows the fault: fault',
    'verified shows the fault',
    '',
  ])
})
