// One execution on the host's side, without a runner: what it sends, and when it gives up.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { encodeFrame, FROM_RUNNER, TO_RUNNER } from '../../../src/guest/runner/frame-stream.js'
import { LiveExecution } from '../../../src/guest/runner/live-execution.js'

const NAMES = Object.fromEntries(Object.entries(TO_RUNNER).map(([name, type]) => [type, name]))

function execution(isBusy = (): boolean => false) {
  const sent: string[] = []
  const lost: string[] = []
  const link = {
    send: async (type: number, ...payload: readonly Uint8Array[]) => {
      const bytes = payload.reduce((sum, { length }) => sum + length, 0)
      sent.push(bytes === 0 ? `${NAMES[type]}` : `${NAMES[type]} ${bytes}`)
    },
    lose: (cause: string) => void lost.push(cause),
    isBusy,
  }
  return { live: new LiveExecution(link, {}, { onOutput: () => undefined }), sent, lost }
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const END = json({ how: { kind: 'exit', code: 0 }, durationMs: 1, leftover: false })
const KIBIBYTE = 1024

describe('LiveExecution', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('keeps at most 256 KiB of input on its way, and goes on as it is taken', async () => {
    const { live, sent } = execution()
    const written = live.write(Buffer.alloc(300 * KIBIBYTE))
    live.endInput()
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual(Array.from({ length: 4 }, () => `stdin ${64 * KIBIBYTE}`))
    live.take(FROM_RUNNER.stdinTaken, json({ bytes: 10 }))
    await written
    await vi.advanceTimersByTimeAsync(1)
    expect(sent.slice(4)).toEqual([`stdin ${44 * KIBIBYTE}`, 'stdinEnd'])
  })

  test('is killed once, takes all output then, and gives the runner up when it does not answer', async () => {
    const { live, sent, lost } = execution()
    live.pause(true)
    live.kill()
    live.kill()
    live.pause(true)
    expect(sent).toEqual(['pause', 'kill', 'resume'])
    await vi.advanceTimersByTimeAsync(9_999)
    expect(lost).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(lost).toEqual(['it did not answer for 10 seconds when it was to kill'])
  })

  test('is patient with a runner that imports packages', async () => {
    let busy = true
    const { live, lost } = execution(() => busy)
    live.kill()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(lost).toEqual([])
    busy = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(lost).toHaveLength(1)
  })

  test('counts as started once it has printed, although nobody said so', async () => {
    for (const [type, started] of [
      [FROM_RUNNER.stdinTaken, false],
      [FROM_RUNNER.stderr, true],
    ] as const) {
      const { live } = execution()
      live.take(type, json({ bytes: 0 }))
      live.onLost('it left')
      expect((await live.ended).how).toEqual({ kind: 'lost', cause: 'it left', started })
    }
  })

  test('forgets what has come of a file that stays after all, and passes on what was not looked at', async () => {
    const link = { send: async () => undefined, lose: () => undefined, isBusy: () => false }
    const live = new LiveExecution(link, { collect: { files: 9, bytes: 99 } }, { onOutput: () => undefined })
    for (const [path, sizeBytes] of [
      ['whole', 1],
      ['half', 2],
    ] as const) {
      const head = json({ path, sizeBytes, offset: 0 })
      const length = Buffer.alloc(4)
      length.writeUInt32LE(head.length)
      live.take(FROM_RUNNER.file, Buffer.concat([length, head, Buffer.from('x')]))
    }
    const unseen = [{ path: '.', reason: 'aborted' }]
    const end = { how: { kind: 'exit', code: 0 }, durationMs: 1, leftover: false, withheld: ['half'], unseen }
    expect(live.take(FROM_RUNNER.exit, json(end))).toBe(true)
    expect(await live.ended).toEqual({ ...end, files: [{ path: 'whole', content: new Uint8Array([0x78]) }] })
  })

  test('sends nothing and waits for nothing once it is over', async () => {
    const { live, sent } = execution()
    live.kill()
    expect(live.take(FROM_RUNNER.exit, END)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    sent.length = 0
    live.kill()
    live.pause(true)
    await live.write(Buffer.from('late'))
    live.endInput()
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual([])
    expect((await live.ended).how).toEqual({ kind: 'exit', code: 0 })
  })
})

test('encodeFrame lays out length, type, id and payload, little end first', () => {
  expect(encodeFrame(18, 258, Buffer.from('a'), Buffer.from('b')).toString('hex')).toBe(
    '0700000012020100006162',
  )
})
