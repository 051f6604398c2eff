// From a failing CI log to a verified patch. Arguments: a folder to work in (default: a fresh one), and the project that failed
// with its log in ci-log.txt (default: data/ledger). What runs, runs in a sandbox; only `git apply` is started here.
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRepairLoop, pytestTests, readTestOutput, rerunFailing, verifyOnce } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { chooseModel } from './demo/choose-model.js'

type Files = Readonly<Record<string, string>>

const work = process.argv[2] ?? (await mkdtemp(join(tmpdir(), 'ledger-')))
const copy = join(work, 'project')
await cp(process.argv[3] ?? fileURLToPath(new URL('data/ledger', import.meta.url)), copy, { recursive: true })

async function filesOf(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = paths.map(async (path) => [
    relative(folder, path).split(sep).join('/'),
    await readFile(path, 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(texts))
}
const only = (files: Files, isWanted: (path: string) => boolean): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => isWanted(path)))

// 1. Which tests failed, in which files?
const project = only(await filesOf(copy), (path) => path.endsWith('.py'))
const log = await readFile(join(copy, 'ci-log.txt'), 'utf8')
const output = readTestOutput(log, { files: project })
const failed = (output?.tests ?? []).filter(({ status }) => status === 'fail' || status === 'error')
const [failure] = output?.failures ?? []
if (failure === undefined) throw new Error('The log tells of no failing test.')
for (const { file, name } of failed) console.log(`Failed in CI: ${name} of ${file}`)
console.log(failure.message)

// 2. Is it the program at all? The failing files are run again, on the program as it is.
const tests = only(project, (path) => path.startsWith('tests/'))
const program = only(project, (path) => !path.startsWith('tests/'))
const entry = [failure.location?.path ?? '', ...Object.keys(program)].find((path) => path in program) ?? ''
const sandbox = subprocess()
const again = await verifyOnce({
  candidate: { files: program, entry },
  language: 'python',
  verify: [
    rerunFailing(
      pytestTests(
        only(tests, (path) => failed.some(({ file }) => file === path)),
        { name: 'rerun' },
      ),
    ),
  ],
  sandbox,
})
const { status, rerun } = again.verdicts[0] ?? {}
const passes = rerun === undefined ? '' : `, ${rerun.passed} of ${rerun.runs} runs passed`
console.log(`Run again: ${rerun?.kind ?? status}${passes}.`)

// 3. Only then is a model asked. All tests have to pass, and it cannot write any of them.
if (rerun?.kind === 'deterministic') await mend()
else console.log('No patch: what does not fail each time is not mended by a change that passes once.')

async function mend(): Promise<void> {
  const loop = createRepairLoop({ model: chooseModel(process.env).forTask('mend-from-log'), sandbox })
  const result = await loop.run({
    goal: `In CI, ${failed.map(({ name }) => name).join(', ')} failed. Mend the program:\n${again.feedback}`,
    language: 'python',
    entry,
    program,
    files: tests,
    verify: [pytestTests(tests)],
  })
  if (result.status !== 'verified') throw new Error(`No patch was found: ${result.status}.`)
  console.log(`Verified after ${result.spent.attempts} attempts.\n${result.diff}`)

  // 4. The patch is what goes out. It must apply to the project as it is, and make its tests pass there.
  await writeFile(join(work, 'mend.patch'), result.diff ?? '')
  execFileSync('git', ['apply', join(work, 'mend.patch')], { cwd: copy })
  await using patched = await sandbox.create()
  await patched.files.write(await filesOf(copy))
  const { stdout } = await patched.exec(['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'])
  console.log(
    stdout.text
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/ in .*/, ''),
  )
}
