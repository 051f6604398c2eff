// Calls that a cell has left when it is over: nobody waits for them, least of all the next cell.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createHostFunctions, hostFunction } from '../../../src/guest/session/host-function.js'
import type { OpenSessionOptions } from '../../../src/guest/session/session-options.js'
import { sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

const MANY = {
  javascript:
    'globalThis.kept = Array.from({ length: 100 }, (_, n) => host.call("slow", n))\nawait Promise.all(kept)',
  python:
    'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool: kept = [pool.submit(host.call, "slow", n) for n in range(100)]; [one.result() for one in kept]',
}
const CODES = {
  javascript:
    '[...new Set((await Promise.allSettled(kept)).filter((one) => one.reason).map((one) => one.reason.code))].join()',
  python: '",".join({one.exception().code for one in kept if one.exception()})',
}
const ONE = { javascript: 'await host.call("slow", "next")', python: 'host.call("slow", "next")' }

async function slowly(language: OpenSessionOptions['language'] & keyof typeof MANY) {
  const asked: unknown[] = []
  const slow = hostFunction({
    description: 'Takes its time.',
    input: z.unknown(),
    handler: async (input) => {
      asked.push(input)
      await new Promise((resolve) => setTimeout(resolve, 100))
      return input
    },
  })
  return { ...(await sessionOf(language, { host: createHostFunctions({ slow }) })), asked }
}

const LANGUAGES = requires('python3') ? (['javascript', 'python'] as const) : (['javascript'] as const)

describe.each(LANGUAGES)('calls of %s', (language) => {
  test('end with their interrupted cell, closed, and the next one asks at once', async () => {
    const { session, asked } = await slowly(language)
    const { outcome, lost } = await session.run(MANY[language], { timeoutMs: 500 })
    expect([outcome.kind, lost]).toEqual(['timeout', undefined])
    const before = asked.length
    expect(before).toBeLessThan(90)
    const { value } = await session.run(ONE[language])
    expect(value?.data['text/plain']).toMatch(/next/)
    expect(asked.slice(before)).toEqual(['next'])
    expect((await session.run(CODES[language])).value?.data['text/plain']).toMatch(/^'closed'$/)
    expect(asked.length).toBe(before + 1)
  })
})

test('calls that a JavaScript cell did not wait for come after those of the next cell', async () => {
  const { session, asked } = await slowly('javascript')
  await session.run('globalThis.kept = [1, 2, 3, 4, 5].map((n) => host.call("slow", n)); 0')
  await session.run(ONE.javascript)
  expect(asked.indexOf('next')).toBeLessThan(3)
  expect((await session.run('await Promise.all(kept)')).value?.data['text/plain']).toBe('[ 1, 2, 3, 4, 5 ]')
})

test('calls of a JavaScript cell that failed are dropped, without a word', async () => {
  const { session, asked } = await slowly('javascript')
  await session.run('for (let n = 0; n < 50; n++) void host.call("slow", n)\nthrow new Error("no")')
  const { stderr, ok } = await session.run(ONE.javascript)
  expect([ok, stderr.text]).toEqual([true, ''])
  expect(asked.length).toBeLessThan(4)
})

test.skipIf(!requires('python3'))('threads of Python come after the cell itself', async () => {
  const { session, asked } = await slowly('python')
  await session.run(
    'import threading\ndef calls():\n    for n in range(20): host.call("slow", n)\nfor _ in range(8): threading.Thread(target=calls, daemon=True).start()',
  )
  const before = asked.length
  await session.run(ONE.python)
  expect(asked.indexOf('next') - before).toBeLessThan(4)
})

test.skipIf(!requires('python3'))(
  'a call from a signal handler during another is an error at once',
  async () => {
    const { session } = await slowly('python')
    const { error, outcome, stdout } = await session.run(
      'import signal\ndef late(*_):\n    try: host.call("slow", 2)\n    except HostError as e: print(e.code)\nsignal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.03)\nhost.call("slow", 1)',
    )
    expect([outcome.kind, error, stdout.text]).toEqual(['exit', undefined, 'failed\n'])
    expect((await session.run(ONE.python)).ok).toBe(true)
  },
)
