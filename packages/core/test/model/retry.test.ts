import { expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { retryAfterMs, retryModelRequest } from '../../src/model/retry.js'

const failed = (retryable: boolean | null, waitMs?: number) =>
  new MendloopError('MODEL_REQUEST_FAILED', 'It failed.', {
    details: { model: 'm', reason: 'server-error', ...(waitMs !== undefined && { retryAfterMs: waitMs }) },
    retryable,
  })

const never = new AbortController().signal

/** Fails with each error in turn, then succeeds; counts the tries. */
function flaky(...errors: readonly Error[]) {
  const tries: number[] = []
  return {
    tries,
    request: async (retriesBefore: number) => {
      tries.push(retriesBefore)
      const error = errors[tries.length - 1]
      if (error !== undefined) throw error
      return 'done'
    },
  }
}

test('an error that may pass is tried again until the request succeeds', async () => {
  const { request, tries } = flaky(failed(true), failed(true))
  const policy = { retries: 2, minDelayMs: 0 }
  await expect(retryModelRequest(request, { policy, signal: never })).resolves.toBe('done')
  expect(tries).toEqual([0, 1, 2])
})

test.each([false, null])('an error with retryable %s is thrown at once', async (retryable) => {
  const error = failed(retryable)
  const { request, tries } = flaky(error)
  await expect(retryModelRequest(request, { signal: never })).rejects.toBe(error)
  expect(tries).toEqual([0])
})

test('a foreign error is thrown at once and as it is', async () => {
  const error = new RangeError('a bug')
  const { request, tries } = flaky(error)
  await expect(retryModelRequest(request, { signal: never })).rejects.toBe(error)
  expect(tries).toEqual([0])
})

test.each([0, 1, 3])(
  '%i retries make one request more than that, and the last error is thrown',
  async (retries) => {
    const errors = [0, 1, 2, 3, 4].map(() => failed(true))
    const { request, tries } = flaky(...errors)
    const policy = { retries, minDelayMs: 0 }
    await expect(retryModelRequest(request, { policy, signal: never })).rejects.toBe(errors[retries])
    expect(tries).toHaveLength(retries + 1)
  },
)

test('the wait doubles, loses up to half of itself at random, and stays below its cap', async () => {
  const waitsMs: number[] = []
  const policy = { retries: 3, minDelayMs: 20, maxDelayMs: 50 }
  const { request, tries } = flaky(failed(true), failed(true), failed(true))
  let last = performance.now()
  const timed = async (before: number) => {
    waitsMs.push(performance.now() - last)
    return request(before).finally(() => {
      last = performance.now()
    })
  }
  await retryModelRequest(timed, { policy, signal: never, random: () => 0.5 })
  expect(tries).toHaveLength(4)
  // 20, 40 and 80 ms, each less a quarter; the last is cut to 50.
  expect(waitsMs[1]).toBeGreaterThanOrEqual(14)
  expect(waitsMs[2]).toBeGreaterThanOrEqual(29)
  expect(waitsMs[3]).toBeGreaterThanOrEqual(49)
})

test('what the server asks for is waited, up to the cap', async () => {
  const { request } = flaky(failed(true, 60), failed(true, 3_600_000))
  const startedAt = performance.now()
  await retryModelRequest(request, { policy: { minDelayMs: 0, maxDelayMs: 80 }, signal: never })
  const tookMs = performance.now() - startedAt
  expect(tookMs).toBeGreaterThanOrEqual(138)
  expect(tookMs).toBeLessThan(2_000)
})

test('a wait that would outlast the time that is left is not begun', async () => {
  const error = failed(true, 10_000)
  const { request, tries } = flaky(error)
  const startedAt = performance.now()
  const context = { signal: never, remainingMs: () => 5_000 }
  await expect(retryModelRequest(request, context)).rejects.toBe(error)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect(tries).toEqual([0])
})

test('an abort ends the wait at once and leaves no listener', async () => {
  const controller = new AbortController()
  const { request, tries } = flaky(failed(true, 60_000))
  const policy = { maxDelayMs: 60_000 }
  const running = retryModelRequest(request, { policy, signal: controller.signal })
  const startedAt = performance.now()
  setImmediate(() => controller.abort(new Error('enough')))
  await expect(running).rejects.toMatchObject({ code: 'ABORTED', details: { during: 'backoff' } })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect(tries).toEqual([0])
})

test('the caller may forbid a retry that the error would allow', async () => {
  const error = failed(true)
  const { request, tries } = flaky(error)
  await expect(retryModelRequest(request, { signal: never, mayRetry: () => false })).rejects.toBe(error)
  expect(tries).toEqual([0])
})

test.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 7_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': 'Thu Jan  1 00:00:10 1970' }, 7_000],
  [{ 'retry-after': 'Thursday, 01-Jan-70 00:00:10 GMT' }, 7_000],
  ...['-5x', '-5', '-1', '1, 2', '2, 2', '1e3', '+5', '5s', '2030-01-01'].map(
    (text): [Record<string, string>, undefined] => [{ 'retry-after': text }, undefined],
  ),
  [{}, undefined],
])('%j asks for a wait of %s ms', (headers: Record<string, string>, expected) => {
  expect(retryAfterMs((name) => headers[name], 3_000)).toBe(expected)
})
