// kill.p95Ms.local: from the wall limit to the moment when the last process that the program started is gone.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Sandbox } from '@mendloop/core'
import type { Benchmark } from './figure.js'
import { quantile, realPython } from './measure.js'
import { worstTier } from './worst-tier.js'

const ROUNDS = 30
const LIMIT_MS = 400
// Three children, one of them deaf to SIGTERM, one in a session of its own and so out of reach of a group's signal.
const PROGRAM = `import os, signal, time
for child in range(3):
    if os.fork() == 0:
        if child == 1:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if child == 2:
            os.setsid()
        time.sleep(600)
print("started", flush=True)
time.sleep(600)
`

/** Whole tree, p95, on the worst tier. */
export const killTime: Benchmark = {
  name: 'kill.p95Ms.local',
  unit: 'ms',
  target: 60,
  fail: 200,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    if (process.platform !== 'linux') return { skipped: 'processes are listed by /proc, which is not here' }
    const limits = { wallMs: LIMIT_MS }
    return await worstTier({ limits }, ROUNDS, async (sandbox) =>
      quantile(await killTimes(sandbox, python), 0.95),
    )
  },
}

async function killTimes(sandbox: Sandbox, python: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; times.length < ROUNDS; round++) {
    if (round === 2 * ROUNDS) throw new Error(`the program rarely starts within ${LIMIT_MS} ms here`)
    const marker = `mendloop-bench-${randomUUID()}`
    // Counted from the call, so what comes before the program starts makes the figure worse, never better.
    const startedAt = performance.now()
    const { outcome, stdout } = await sandbox.exec([python, '-I', '-S', '-c', PROGRAM, marker])
    if (outcome.kind !== 'timeout') throw new Error(`the program ended by itself: ${JSON.stringify(outcome)}`)
    while (isRunning(marker)) {
      if (performance.now() - startedAt > 20_000) throw new Error('a descendant survived the limit by 20 s')
    }
    // A program that was too slow to have any children shows nothing.
    if (stdout.text === 'started\n') times.push(performance.now() - startedAt - LIMIT_MS)
  }
  return times
}

function isRunning(marker: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker)
    } catch {
      return false
    }
  })
}
