import { afterEach, expect, test, vi } from 'vitest'
import { type ReplyServer, serveReplies } from './helpers/serve-replies.js'
import { freshFolder, leftovers, startDemo } from './helpers/start-demo.js'

const LONG_MS = 40_000
/** A program that would run for as long as it may. */
const SLEEPER = 'It waits.\n\n```python\nimport time\n\nprint("ready", flush=True)\ntime.sleep(60)\n```\n'

let server: ReplyServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

/** A demo whose program sleeps. */
async function sleepingDemo() {
  server = await serveReplies([SLEEPER])
  const demo = startDemo(['--task', 'a', '--out', freshFolder()], { OPENAI_BASE_URL: server.baseUrl })
  await demo.says('wrote prices.py')
  // The workspace is there, so there is something to clean up.
  await vi.waitFor(() => expect(leftovers()).not.toEqual([]), 5_000)
  return demo
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s ends the program and the demo with code %i and leaves nothing',
  async (signal, expected) => {
    const demo = await sleepingDemo()
    demo.child.kill(signal)
    expect((await demo.ended).code).toBe(expected)
    expect(leftovers()).toEqual([])
  },
  LONG_MS,
)

test(
  'the same signal a second time within a moment, as a terminal and its launcher send it, counts once',
  async () => {
    const demo = await sleepingDemo()
    demo.child.kill('SIGINT')
    demo.child.kill('SIGINT')
    expect((await demo.ended).code).toBe(130)
    expect(leftovers()).toEqual([])
  },
  LONG_MS,
)

test(
  'a launcher that dies takes the demo with it',
  async () => {
    const demo = await sleepingDemo()
    demo.child.disconnect()
    expect((await demo.ended).code).toBe(143)
    expect(leftovers()).toEqual([])
  },
  LONG_MS,
)

test(
  'a signal while the model is asked ends the request',
  async () => {
    server = await serveReplies(['hang'])
    const demo = startDemo(['--task', 'a', '--out', freshFolder()], { OPENAI_BASE_URL: server.baseUrl })
    await demo.says('attempt 1')
    demo.child.kill('SIGTERM')
    expect((await demo.ended).code).toBe(143)
  },
  LONG_MS,
)

test(
  'a reader that goes away ends the demo',
  async () => {
    const demo = await sleepingDemo()
    demo.child.stdout?.destroy()
    demo.child.kill('SIGINT')
    expect((await demo.ended).code).toBe(130)
    expect(leftovers()).toEqual([])
  },
  LONG_MS,
)
