// Pieces on their way: let go as soon as they were taken, and not waited for after an abort.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { abortable, collectBytes } from '../../../src/sandbox/archive/pieces.js'

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

test.each([
  ['without a signal', undefined],
  ['with one', new AbortController().signal],
])('a piece that was taken is kept by nobody, %s', async (_name, signal) => {
  const given: WeakRef<Uint8Array>[] = []
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < 50; index++) {
      const piece = new Uint8Array(1024)
      given.push(new WeakRef(piece))
      yield piece
    }
  }
  let keptAtTheEnd = 50
  let taken = 0
  for await (const piece of abortable(source(), signal)) {
    taken += piece.length
    if (given.length < 50) continue
    // What is waited for right now may still be held.
    await new Promise(setImmediate)
    collectGarbage()
    keptAtTheEnd = given.filter((one) => one.deref() !== undefined).length
  }
  expect(taken).toBe(50 * 1024)
  expect(keptAtTheEnd).toBeLessThan(5)
})

test('a source that gives nothing more is not waited for after an abort, and is told', async () => {
  const controller = new AbortController()
  let told = false
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        setImmediate(() => controller.abort())
        return new Promise(() => undefined)
      },
      return: async () => {
        told = true
        return { done: true, value: undefined }
      },
    }),
  }
  await expect(collectBytes(abortable(source, controller.signal))).rejects.toMatchObject({ code: 'ABORTED' })
  expect(told).toBe(true)
})
