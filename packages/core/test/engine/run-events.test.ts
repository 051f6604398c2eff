import { expect, test, vi } from 'vitest'
import { RunEvents } from '../../src/engine/run-events.js'

const delta = (events: RunEvents, text: string): void => events.emit('model-delta', { text })

test('iteration gives every event from the start, also to who comes late, and ends after the last', async () => {
  const events = new RunEvents('r')
  delta(events, 'a')
  const seen: string[] = []
  const reader = (async () => {
    for await (const event of events) if (event.type === 'model-delta') seen.push(event.text)
  })()
  delta(events, 'b')
  await Promise.resolve()
  delta(events, 'c')
  events.close()
  await reader
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('a listener that throws breaks neither the run nor the listener after it', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const events = new RunEvents('r')
  const heard: string[] = []
  events.on('model-delta', () => {
    throw new Error('boom')
  })
  events.on('model-delta', ({ text }) => heard.push(text))
  delta(events, 'a')
  expect(heard).toEqual(['a'])
  expect(warned).toHaveBeenCalledOnce()
  warned.mockRestore()
})

test('once hears one event, and off takes a listener away', () => {
  const events = new RunEvents('r')
  const heard: string[] = []
  const listener = ({ text }: { text: string }): void => void heard.push(text)
  events.once('model-delta', ({ text }) => heard.push(`once ${text}`))
  events.on('model-delta', listener)
  delta(events, 'a')
  events.off('model-delta', listener)
  delta(events, 'b')
  expect(heard).toEqual(['once a', 'a'])
})

test('the record leaves out what the -end events hold in full, and keeps the order', () => {
  const events = new RunEvents('r')
  delta(events, 'a')
  events.emit('infrastructure-error', { cause: 'x' })
  events.attempt = 2
  events.emit('infrastructure-error', { cause: 'y' })
  expect(events.record().events.map(({ type, sequence, attempt }) => [type, sequence, attempt])).toEqual([
    ['infrastructure-error', 1, 0],
    ['infrastructure-error', 2, 2],
  ])
})
