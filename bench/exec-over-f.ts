// exec.process.overF: one `sandbox.exec` of a bare Python program, over starting it with nothing but Node.
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { Benchmark } from './figure.js'
import { barePython, interleaved, realPython, rounded, spawnToClose } from './measure.js'

const ROUNDS = 60

/** Process tier. */
export const execOverF: Benchmark = {
  name: 'exec.process.overF',
  unit: 'ratio',
  target: 1.1,
  fail: 1.3,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    const program = barePython(python)
    await using sandbox = await subprocess({ minimum: 'process' }).create()
    const throughSdk = async (): Promise<number> => {
      const startedAt = performance.now()
      const { ok } = await sandbox.exec(program)
      if (!ok) throw new Error('the program failed in the sandbox')
      return performance.now() - startedAt
    }
    const bare = async (): Promise<number> => (await spawnToClose(program)).ms
    await interleaved(5, throughSdk, bare)
    const { one, other } = await interleaved(ROUNDS, throughSdk, bare)
    return {
      value: rounded(one / other),
      baseline: { name: 'F', value: rounded(other), unit: 'ms' },
      samples: ROUNDS,
    }
  },
}
