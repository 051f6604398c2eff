// The wall clock of an execution in a runner: it runs until the program is gone, and not while its files are sent.
import type { Outcome } from '../../contract/execution.js'
import type { RunnerExecution } from '../../contract/fork-runner.js'
import { startTimer } from '../../internal/timer.js'

/** For at most a thousand files of 64 MiB, whatever else the program has left. */
const COLLECTION_MS = 30_000

/** A clock that runs. */
export interface RunningClock {
  /** Stops it. @returns whether collecting the files took longer than anybody waits */
  stop(): { readonly isCut: boolean }
}

/** Calls `kill` when `wallMs` are over from the turn of `execution` on, and ends what takes too long afterwards. */
export function watchClock(
  execution: Pick<RunnerExecution, 'begun' | 'gone' | 'kill'>,
  wallMs: number,
  kill: (why: Outcome) => void,
): RunningClock {
  const { begun, gone } = execution
  let isOver = false
  let isCut = false
  let cancel = (): void => undefined
  let hasGone = false
  const wait = (delayMs: number, act: () => void): void => {
    cancel()
    if (!isOver) cancel = startTimer(delayMs, act)
  }
  const startWall = (): void => {
    if (!hasGone) wait(wallMs, () => kill({ kind: 'timeout', clock: 'wall', limitMs: wallMs }))
  }
  if (begun === undefined) startWall()
  else void begun.then(startWall)
  void gone?.then(() => {
    hasGone = true
    wait(COLLECTION_MS, () => {
      isCut = true
      execution.kill()
    })
  })
  return {
    stop() {
      isOver = true
      cancel()
      return { isCut }
    },
  }
}

/** A program is killed when the host's clock says so; its own, which begins a little later, never contradicts that. */
export const toldDurationMs = (outcome: Outcome, durationMs: number): number =>
  outcome.kind === 'timeout' && outcome.clock === 'wall' ? Math.max(durationMs, outcome.limitMs) : durationMs
