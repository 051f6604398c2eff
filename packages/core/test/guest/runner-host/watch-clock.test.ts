// The wall clock of an execution in a runner: what it counts, and what it does not.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Outcome } from '../../../src/contract/execution.js'
import { toldDurationMs, watchClock } from '../../../src/guest/runner/watch-clock.js'

const LATE: Outcome = { kind: 'timeout', clock: 'wall', limitMs: 1_000 }

/** A clock of 1 s over an execution whose turn and whose end can be told. */
function clock(parts: { readonly waits?: boolean; readonly tellsGone?: boolean } = {}) {
  const kills: (Outcome | 'cut')[] = []
  const moments = { begin: (): void => undefined, go: (): void => undefined }
  const begun = new Promise<void>((resolve) => {
    moments.begin = resolve
  })
  const gone = new Promise<void>((resolve) => {
    moments.go = resolve
  })
  const execution = {
    ...(parts.waits && { begun }),
    ...(parts.tellsGone && { gone }),
    kill: () => void kills.push('cut'),
  }
  const running = watchClock(execution, 1_000, (why) => void kills.push(why))
  return { kills, ...moments, stop: () => running.stop() }
}

describe('watchClock', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('kills when time is up, and not when it was stopped before', async () => {
    const [late, early] = [clock(), clock()]
    await vi.advanceTimersByTimeAsync(999)
    expect(early.stop()).toEqual({ isCut: false })
    await vi.advanceTimersByTimeAsync(1)
    expect([late.kills, early.kills]).toEqual([[LATE], []])
  })

  test('counts from the turn of the execution', async () => {
    const { kills, begin } = clock({ waits: true })
    await vi.advanceTimersByTimeAsync(5_000)
    begin()
    await vi.advanceTimersByTimeAsync(999)
    expect(kills).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(kills).toEqual([LATE])
  })

  test('does not count while files are sent, which has a bound of its own', async () => {
    const { kills, go, stop } = clock({ tellsGone: true })
    await vi.advanceTimersByTimeAsync(900)
    go()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(kills).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(kills).toEqual(['cut'])
    expect(stop()).toEqual({ isCut: true })
  })

  test('leaves no timer behind, whatever is told after its end', async () => {
    const { kills, begin, go, stop } = clock({ waits: true, tellsGone: true })
    stop()
    begin()
    go()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([kills, vi.getTimerCount()]).toEqual([[], 0])
  })
})

test('a wall limit is never told with less time than it gave; any other end has its own', () => {
  expect(toldDurationMs(LATE, 964)).toBe(1_000)
  expect(toldDurationMs(LATE, 1_012)).toBe(1_012)
  expect(toldDurationMs({ kind: 'exit', code: 0 }, 3)).toBe(3)
  expect(toldDurationMs({ kind: 'timeout', clock: 'cpu', limitMs: 1_000 }, 400)).toBe(400)
})
