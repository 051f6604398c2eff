// cap.overshootBytes.local: what is still taken from a program once it is ended at the cap of its output.
import type { Sandbox } from '@mendloop/core'
import type { Benchmark } from './figure.js'
import { quantile, realPython } from './measure.js'
import { worstTier } from './worst-tier.js'

const ROUNDS = 40
const CAP_BYTES = 1024 * 1024
const PROGRAM = `import os
block = b"x" * 65536
while True:
    os.write(1, block)
`

/** p95, on the worst tier. */
export const capOvershoot: Benchmark = {
  name: 'cap.overshootBytes.local',
  unit: 'bytes',
  target: 1024 * 1024,
  fail: 2 * 1024 * 1024,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    const limits = { outputBytes: CAP_BYTES, totalOutputBytes: CAP_BYTES, wallMs: 20_000 }
    return await worstTier({ limits }, ROUNDS, async (sandbox) => {
      const overshoots: number[] = []
      while (overshoots.length < ROUNDS) overshoots.push(await overshoot(sandbox, python))
      return quantile(overshoots, 0.95)
    })
  },
}

async function overshoot(sandbox: Sandbox, python: string): Promise<number> {
  const { outcome, stdout } = await sandbox.exec([python, '-I', '-S', '-c', PROGRAM])
  if (outcome.kind !== 'resource') throw new Error(`the flood ended as ${JSON.stringify(outcome)}`)
  return stdout.bytes - CAP_BYTES
}
