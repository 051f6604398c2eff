// npm run bench -- [--json FILE] [--only NAME]: the figures of this repository, as ratios where there is a baseline.
import { writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cappedStdout } from './capped-stdout.js'
import { execOverF } from './exec-over-f.js'
import { type Benchmark, type Figure, standing, table, toFigure } from './figure.js'
import { killTime } from './kill-time.js'
import { loopOverhead } from './loop-overhead.js'

const BENCHMARKS: readonly Benchmark[] = [execOverF, cappedStdout, killTime, loopOverhead]

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } })
  const chosen = BENCHMARKS.filter(({ name }) => values.only === undefined || values.only === name)
  if (chosen.length === 0) {
    console.error(
      `"${values.only}" is not a figure; there are: ${BENCHMARKS.map(({ name }) => name).join(', ')}`,
    )
    return 2
  }
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
  console.log(table(figures))
  if (values.json !== undefined) {
    // npm runs scripts in the repository's root; INIT_CWD is where the caller stood.
    const file = resolve(process.env['INIT_CWD'] ?? '.', values.json)
    writeFileSync(file, `${JSON.stringify({ machine, figures }, null, 2)}\n`)
  }
  return broken || figures.some((figure) => standing(figure) === 'FAIL') ? 1 : 0
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
