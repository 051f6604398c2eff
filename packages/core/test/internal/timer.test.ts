import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTimer } from '../../src/internal/timer.js'

describe('startTimer', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('calls back once at the given time', () => {
    const callback = vi.fn()
    startTimer(1000, callback)
    vi.advanceTimersByTime(999)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(callback).toHaveBeenCalledTimes(1)
  })

  test('does not take a delay that setTimeout cannot hold for no delay at all', () => {
    const callback = vi.fn()
    const fortyDaysMs = 40 * 24 * 3600 * 1000
    startTimer(fortyDaysMs, callback)
    vi.advanceTimersByTime(fortyDaysMs - 1)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledTimes(1)
  })

  test('never calls back once it is cancelled, also in its second stretch', () => {
    const callback = vi.fn()
    const cancel = startTimer(2 ** 31 + 1000, callback)
    vi.advanceTimersByTime(2 ** 31)
    cancel()
    cancel()
    vi.advanceTimersByTime(5000)
    expect(callback).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
