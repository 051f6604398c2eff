// exec.*.overF: one `sandbox.exec` of a bare Python program, over starting it with nothing but Node.
import type { Sandbox } from '@mendloop/core'
import type { Benchmark, Measurement } from './figure.js'
import { barePython, interleaved, realPython, rounded, spawnToClose } from './measure.js'
import { inTier, type Tier } from './tier.js'

const ROUNDS = 60

const execOverF = (tier: Tier, target: number, fail: number): Benchmark => ({
  name: `exec.${tier}.overF`,
  unit: 'ratio',
  target,
  fail,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    return await inTier(tier, {}, (sandbox) => measureIn(sandbox, barePython(python)))
  },
})

/** One for each tier. */
export const execsOverF: readonly Benchmark[] = [
  execOverF('process', 1.1, 1.3),
  execOverF('landlock', 2, 2.6),
  execOverF('namespaces', 1.5, 2.1),
]

async function measureIn(sandbox: Sandbox, program: [string, ...string[]]): Promise<Measurement> {
  const throughSdk = async (): Promise<number> => {
    const startedAt = performance.now()
    const { ok, stderr } = await sandbox.exec(program)
    if (!ok) throw new Error(`the program failed in the sandbox: ${stderr.text}`)
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
}
