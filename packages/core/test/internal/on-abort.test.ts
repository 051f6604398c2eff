import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { onAbort } from '../../src/internal/on-abort.js'

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test('many that wait on a signal share one listener, and each is called once', () => {
  const controller = new AbortController()
  const callback = vi.fn()
  for (let count = 0; count < 50; count++) onAbort(controller.signal, callback)
  expect(listenersOf(controller.signal)).toBe(1)
  controller.abort()
  controller.abort()
  expect(callback).toHaveBeenCalledTimes(50)
  expect(listenersOf(controller.signal)).toBe(0)
})

test('who stopped waiting is not called, and the last one takes the listener along', () => {
  const controller = new AbortController()
  const gone = vi.fn()
  const there = vi.fn()
  const stopGone = onAbort(controller.signal, gone)
  const stopThere = onAbort(controller.signal, there)
  stopGone()
  stopGone()
  expect(listenersOf(controller.signal)).toBe(1)
  stopThere()
  expect(listenersOf(controller.signal)).toBe(0)
  onAbort(controller.signal, there)
  controller.abort()
  expect(gone).not.toHaveBeenCalled()
  expect(there).toHaveBeenCalledTimes(1)
})

test('a signal that is aborted already calls at once', () => {
  const callback = vi.fn()
  onAbort(AbortSignal.abort(), callback)
  expect(callback).toHaveBeenCalledTimes(1)
})

test('a callback that stops others while it runs keeps them from being called', () => {
  const controller = new AbortController()
  const second = vi.fn()
  onAbort(controller.signal, () => stopSecond())
  const stopSecond = onAbort(controller.signal, second)
  controller.abort()
  expect(second).not.toHaveBeenCalled()
})
