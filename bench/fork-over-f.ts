// fork.*.overF and fork.pandas.overCold: one `runProgram` through the warm interpreter, isolated from the one before,
// over a cold start.
import { prepareRunner, runProgram, type Sandbox } from '@mendloop/core'
import type { Benchmark, Measurement } from './figure.js'
import { barePython, interleaved, realPython, rounded, spawnToClose } from './measure.js'
import { inTier, type Tier } from './tier.js'

const ROUNDS = 60
const COLD_ROUNDS = 15
const HELLO = 'print("hello")'

interface Goal {
  readonly name: string
  readonly tier: Tier
  readonly spares: number
  readonly target: number
  readonly fail: number
}

const forkOverF = ({ name, tier, spares, target, fail }: Goal): Benchmark => ({
  name,
  unit: 'ratio',
  target,
  fail,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    return await inTier(tier, {}, async (sandbox) => {
      await prepareRunner(sandbox, { spares })
      const bare = async (): Promise<number> => (await spawnToClose(barePython(python))).ms
      return await compare(() => timeOf(sandbox, HELLO), bare, 'F', ROUNDS)
    })
  },
})

const pandasOverCold: Benchmark = {
  name: 'fork.pandas.overCold',
  unit: 'ratio',
  target: 0.03,
  fail: 0.055,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    const program = `import pandas\n${HELLO}`
    return await inTier('landlock', {}, async (sandbox) => {
      const { failed } = await prepareRunner(sandbox, { preload: ['pandas'] })
      const reason = failed['pandas']
      if (reason !== undefined) return { skipped: `pandas is not there: ${reason}` }
      const cold = async (): Promise<number> => (await spawnToClose([python, '-I', '-B', '-c', program])).ms
      return await compare(() => timeOf(sandbox, program), cold, 'cold import', COLD_ROUNDS)
    })
  },
}

/** All of them. */
export const forksOverF: readonly Benchmark[] = [
  forkOverF({ name: 'fork.landlock.overF', tier: 'landlock', spares: 0, target: 0.35, fail: 0.5 }),
  forkOverF({ name: 'fork.namespaces.overF', tier: 'namespaces', spares: 0, target: 0.6, fail: 0.85 }),
  forkOverF({ name: 'prefork.namespaces.overF', tier: 'namespaces', spares: 1, target: 0.4, fail: 0.6 }),
  pandasOverCold,
]

async function timeOf(sandbox: Sandbox, source: string): Promise<number> {
  const startedAt = performance.now()
  const { ok, engine, stderr } = await runProgram(sandbox, { files: { 'main.py': source } })
  if (!ok || engine !== 'runner') throw new Error(`it ran as ${engine} and said: ${stderr.text}`)
  return performance.now() - startedAt
}

async function compare(
  one: () => Promise<number>,
  other: () => Promise<number>,
  name: string,
  rounds: number,
): Promise<Measurement> {
  await interleaved(3, one, other)
  const middle = await interleaved(rounds, one, other)
  return {
    value: rounded(middle.one / middle.other),
    baseline: { name, value: rounded(middle.other), unit: 'ms' },
    samples: rounds,
  }
}
