// npm run cases -- --dir DIR [--json] [--require-tools | --strict]: runs a folder of bug cases against the public API of the packages.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readCases } from './bug-case.js'
import { tiersUsed } from './names.js'
import { type CaseResult, line, type Strictness, summarise, toResult } from './report.js'
import { runCase } from './run-case.js'

const USAGE = `Usage: npm run cases -- --dir DIR [--json] [--require-tools | --strict]
  --dir DIR        a folder of cases: every folder in it, linked ones too, that has an expected.json
  --json           one JSON document instead of lines
  --require-tools  a case that lacks a program or package of its "needs" counts as failed
  --strict         so does every other case that cannot run on this machine, such as for a limit that no tier enforces`

process.exitCode = await main()

async function main(): Promise<number> {
  const options = readArguments()
  if (options === undefined) return 2
  if (options === 'help') {
    console.log(USAGE)
    return 0
  }
  const cases = readCases(options.dir)
  const results: CaseResult[] = []
  for (const bugCase of cases) {
    const result = toResult(bugCase, await runCase(bugCase))
    results.push(result)
    if (!options.json) console.log(line(result))
  }
  const summary = summarise(results, options.strictness)
  if (options.json) console.log(JSON.stringify({ summary, tiers: [...tiersUsed], cases: results }))
  else {
    if (cases.length === 0)
      console.log(`No case was found in ${options.dir}: no folder in it has an expected.json.`)
    const others = [`${summary.notBuilt} not built`, `${summary.cannotRun} cannot run here`].join(', ')
    if (tiersUsed.size > 0) console.log(`\nPrograms ran in the tier ${[...tiersUsed].join(' and ')}`)
    console.log(`\n${others}\n${summary.passed} passed, ${summary.failed} failed`)
  }
  return summary.failed === 0 && cases.length > 0 ? 0 : 1
}

function readArguments(): { dir: string; json: boolean; strictness: Strictness } | 'help' | undefined {
  try {
    const { values } = parseArgs({
      options: {
        dir: { type: 'string' },
        json: { type: 'boolean' },
        'require-tools': { type: 'boolean' },
        strict: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) return 'help'
    if (values.dir === undefined) throw new Error('Name the folder of cases with --dir.')
    // npm runs scripts in the repository's root; INIT_CWD is where the caller stood.
    const dir = resolve(process.env['INIT_CWD'] ?? '.', values.dir)
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${dir} is not a folder.`)
    const strictness = values.strict ? 'strict' : values['require-tools'] ? 'require-tools' : 'lenient'
    return { dir, json: values.json ?? false, strictness }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    return undefined
  }
}
