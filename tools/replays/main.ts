// npm run replays -- --data DIR [--sets A,B] [--runs A,B] [--every N]: recorded replies of real models through the repair
// loop, against what was measured and logged for each.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { extract } from './extract-set.js'
import { ldb } from './ldb-set.js'
import { mint } from './mint-set.js'
import { noise } from './noise-set.js'
import { reflexion } from './reflexion-set.js'
import type { ReplaySet } from './replay-set.js'

const SETS: readonly ReplaySet[] = [mint, ldb, reflexion, extract, noise]
const NAMES = SETS.map(({ name }) => name)

const USAGE = `Usage: npm run replays -- --data DIR [--sets A,B] [--runs A,B] [--every N]
  --data DIR  the folder of recorded data, with llm-logs and benchmarks in it
  --sets A,B  some of ${NAMES.join(', ')}
  --runs A,B  some of the models, by the name of the run
  --every N   a sample: each Nth conversation, of sets that cost more fewer still`

process.exitCode = await main()

async function main(): Promise<number> {
  const request = readArguments()
  if (request === undefined) return 2
  const { sets, every, ...rest } = request
  let passed = 0
  let failed = 0
  for (const set of sets) {
    const started = performance.now()
    const { agreed, differences, notes } = await set.replay({
      ...rest,
      every: every === 1 ? 1 : every * set.rarer,
    })
    for (const line of [...differences, ...notes]) console.log(`${set.name}: ${line}`)
    const seconds = Math.round((performance.now() - started) / 1000)
    console.log(`${set.name}: ${agreed} agree, ${differences.length} differ (${seconds} s)`)
    passed += agreed
    failed += differences.length
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0 ? 0 : 1
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: 'string' },
        sets: { type: 'string' },
        runs: { type: 'string' },
        every: { type: 'string' },
      },
    })
    if (values.data === undefined) throw new Error('Name the folder of recorded data with --data.')
    const names = values.sets?.split(',') ?? NAMES
    const unknown = names.filter((name) => !NAMES.includes(name))
    if (unknown.length > 0) throw new Error(`There is no set ${unknown.join(', ')}.`)
    const every = Number(values.every ?? 1)
    if (!Number.isInteger(every) || every < 1) throw new Error('--every takes a whole number from 1.')
    // npm runs scripts in the repository's root; INIT_CWD is where the caller stood.
    const data = resolve(process.env['INIT_CWD'] ?? '.', values.data)
    const sets = SETS.filter(({ name }) => names.includes(name))
    // The name of a run may have a comma of its own.
    const runs = values.runs === undefined ? undefined : [values.runs, ...values.runs.split(',')]
    return { data, sets, runs, every }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    return undefined
  }
}
