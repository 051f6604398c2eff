// loop.overheadMs: what the loop itself adds to one attempt, besides running and judging the program.
import { createRepairLoop, exitsCleanly, type LoopEvent } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { Benchmark } from './figure.js'
import { median, realPython, rounded } from './measure.js'

const ROUNDS = 30
const REPLY = '```python\nprint("hello")\n```\n'

/** Prompt, extraction, a fresh sandbox, events, bookkeeping. */
export const loopOverhead: Benchmark = {
  name: 'loop.overheadMs',
  unit: 'ms',
  target: 5,
  fail: 15,
  async measure() {
    if (realPython() === undefined) return { skipped: 'python3 is not installed' }
    const times: number[] = []
    for (let round = -3; round < ROUNDS; round++) {
      const time = await overheadOfOneAttempt()
      // The first rounds load code and fill caches.
      if (round >= 0) times.push(time)
    }
    return { value: rounded(median(times)), baseline: null, samples: ROUNDS }
  },
}

async function overheadOfOneAttempt(): Promise<number> {
  const loop = createRepairLoop({
    model: scriptedModel([REPLY]),
    // The tier whose opening and closing cost least: a stronger one has figures of its own.
    sandbox: subprocess({ minimum: 'process', isolation: 'process' }),
  })
  const run = loop.start({ goal: 'Print hello.', language: 'python', verify: [exitsCleanly()] })
  const seen = new Map<LoopEvent['type'], number>()
  for (const type of ['attempt-start', 'verification-start', 'verification-end', 'attempt-end'] as const) {
    run.on(type, () => seen.set(type, performance.now()))
  }
  const { status } = await run.result
  if (status !== 'verified') throw new Error(`the run ended as ${status}`)
  // The program runs inside its verification, so this leaves out both.
  return (
    between(seen, 'attempt-start', 'attempt-end') - between(seen, 'verification-start', 'verification-end')
  )
}

function between(seen: ReadonlyMap<string, number>, from: LoopEvent['type'], to: LoopEvent['type']): number {
  const [start, end] = [seen.get(from), seen.get(to)]
  if (start === undefined || end === undefined) throw new Error(`no ${from} or no ${to}`)
  return end - start
}
