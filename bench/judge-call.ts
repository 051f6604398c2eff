// judge.callUs: one call of the candidate's function through the judge's stand-in, there and back.
import { pythonTests, verifyOnce } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { Benchmark } from './figure.js'
import { interleaved, realPython, rounded } from './measure.js'

const ROUNDS = 9
const FEW = 500
const MANY = 8_500
const PROGRAM = 'def add(a, b):\n    return a + b\n'

/** Small arguments. */
export const judgeCall: Benchmark = {
  name: 'judge.callUs',
  unit: 'µs',
  target: 100,
  fail: 300,
  async measure() {
    if (realPython() === undefined) return { skipped: 'python3 is not installed' }
    const few = (): Promise<number> => timeOf(FEW)
    const many = (): Promise<number> => timeOf(MANY)
    await interleaved(1, many, few)
    const { one, other } = await interleaved(ROUNDS, many, few)
    // What starting and ending cost is in both.
    return { value: rounded(((one - other) * 1000) / (MANY - FEW)), baseline: null, samples: ROUNDS }
  },
}

async function timeOf(calls: number): Promise<number> {
  const startedAt = performance.now()
  const { passed, verdicts } = await verifyOnce({
    language: 'python',
    candidate: { files: { 'solution.py': PROGRAM }, entry: 'solution.py' },
    sandbox: subprocess({ minimum: 'process', isolation: 'process' }),
    limits: { wallMs: 60_000 },
    verify: [
      pythonTests(
        `from solution import add\nfor number in range(${calls}):\n    assert add(number, 1) == number + 1`,
      ),
    ],
  })
  if (!passed) throw new Error(`the tests did not pass: ${JSON.stringify(verdicts)}`)
  return performance.now() - startedAt
}
