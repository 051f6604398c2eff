// npm run bench -- [--json FILE] [--only NAME]: the figures of this repository, as ratios where there is a baseline.
import { accessSync, constants, statSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { capOvershoot } from './cap-overshoot.js'
import { cappedStdouts } from './capped-stdout.js'
import { evalOverNaive } from './eval-over-naive.js'
import { execsOverF } from './exec-over-f.js'
import { type Benchmark, type Figure, standing, table, toFigure, WORDS } from './figure.js'
import { forksOverF } from './fork-over-f.js'
import { judgeCall } from './judge-call.js'
import { killTime } from './kill-time.js'
import { loopOverhead } from './loop-overhead.js'
import { runnerMemory } from './runner-memory.js'
import { throughputs } from './throughput.js'

const BENCHMARKS: readonly Benchmark[] = [
  ...execsOverF,
  ...forksOverF,
  ...throughputs,
  ...cappedStdouts,
  capOvershoot,
  killTime,
  runnerMemory,
  judgeCall,
  loopOverhead,
  evalOverNaive,
]

const USAGE = `Usage: npm run bench -- [--json FILE] [--only NAME]
  --json FILE  writes the figures and this machine's description as JSON
  --only NAME  one figure: ${BENCHMARKS.map(({ name }) => name).join(', ')}`

process.exitCode = await main()

async function main(): Promise<number> {
  const asked = readArguments()
  if (typeof asked === 'number') return asked
  const { chosen, file } = asked
  const machine = describeMachine()
  const figures: Figure[] = []
  let broken = false
  for (const benchmark of chosen) {
    console.error(`measuring ${benchmark.name} …`)
    try {
      figures.push(toFigure(benchmark, await benchmark.measure()))
    } catch (error) {
      // What cannot be measured is a failure, but no reason to lose the other figures.
      broken = true
      figures.push(
        toFigure(benchmark, { skipped: `FAIL: ${error instanceof Error ? error.message : error}` }),
      )
    }
  }
  console.log(`${table(figures)}\n\n${WORDS}`)
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ machine, figures }, null, 2)}\n`)
  return broken || figures.some((figure) => standing(figure) === 'FAIL') ? 1 : 0
}

/** What to measure and where to write it, or the exit code when there is nothing to measure. */
function readArguments(): { chosen: readonly Benchmark[]; file: string | undefined } | number {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'string' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      console.log(USAGE)
      return 0
    }
    const chosen = BENCHMARKS.filter(({ name }) => values.only === undefined || values.only === name)
    if (chosen.length === 0) throw new Error(`"${values.only}" is not a figure.`)
    return { chosen, file: values.json === undefined ? undefined : writablePath(values.json) }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
    return 2
  }
}

/** Found out before a minute is spent on measuring. */
function writablePath(path: string): string {
  // npm runs scripts in the repository's root; INIT_CWD is where the caller stood.
  const file = resolve(process.env['INIT_CWD'] ?? '.', path)
  const there = statSync(file, { throwIfNoEntry: false })
  if (path === '' || there?.isDirectory()) throw new Error(`--json ${JSON.stringify(path)} is not a file.`)
  try {
    accessSync(there === undefined ? dirname(file) : file, constants.W_OK)
    if (!statSync(dirname(file)).isDirectory()) throw new Error('not a folder')
  } catch {
    throw new Error(`${file} cannot be written: its folder is missing, or is not this user's to write to.`)
  }
  return file
}

function describeMachine(): Record<string, string | number> {
  return {
    platform: platform(),
    kernel: release(),
    arch: arch(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.versions.node,
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(2)),
    measuredAt: new Date().toISOString(),
  }
}
