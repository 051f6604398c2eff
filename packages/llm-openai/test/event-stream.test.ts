import { expect, test } from 'vitest'
import { EventStreamParser, EventTooLong } from '../src/event-stream.js'

function parse(...pieces: readonly string[]) {
  const parser = new EventStreamParser()
  return { events: [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()], stray: parser.stray }
}

const TEXT =
  ': note\nid: 1\nretry: 5\ndata: one\n\ndata:two\ndata: lines\n\nevent: end\ndata:  x\n\n\ndata: last'
const EVENTS = [
  { name: '', data: 'one' },
  { name: '', data: 'two\nlines' },
  { name: 'end', data: ' x' },
  { name: '', data: 'last' },
]

test.each(['\n', '\r\n', '\r'])(
  'lines that end in %j, cut in two at any place, give the same events',
  (end) => {
    const text = TEXT.replaceAll('\n', end)
    for (let cut = 0; cut <= text.length; cut++)
      expect(parse(text.slice(0, cut), text.slice(cut)).events).toEqual(EVENTS)
    expect(parse(...text).events).toEqual(EVENTS)
  },
)

test('text outside of any event is kept apart', () => {
  expect(parse('{"error":\n', '"x"}\n')).toEqual({ events: [], stray: '{"error":\n"x"}\n' })
})

test('an error field is an error event, and what came before it is not lost', () => {
  const { events } = parse('data: a\nerror: b\n\n')
  expect(events).toEqual([
    { name: '', data: 'a' },
    { name: 'error', data: 'b' },
  ])
})

test('an event without end is refused instead of kept', () => {
  const parser = new EventStreamParser()
  const megabyte = 'x'.repeat(1024 * 1024)
  parser.push('data: ')
  expect(() => {
    for (let count = 0; count < 20; count++) parser.push(megabyte)
  }).toThrow(EventTooLong)
})
