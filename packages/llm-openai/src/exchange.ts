// One request and its answer on the wire: sent by the official client, read by us, within the limits, cleaned up after.
import { MendloopError } from '@mendloop/core'
import { APIError } from 'openai'
import type { CallClock } from './call-clock.js'
import type { Endpoint } from './endpoint.js'
import { EventStreamParser, EventTooLong, type ServerEvent } from './event-stream.js'
import { isRecord, parseJson } from './json.js'
import { type AssembledReply, ReplyAssembler } from './reply-assembler.js'
import {
  aborted,
  connectionFailure,
  errorIn,
  type FailureContext,
  malformed,
  stalled,
  statedFailure,
  statusFailure,
  truncated,
} from './to-mendloop-error.js'

// More than any reply; a server that sends more would only fill the memory.
const MAX_BODY_CHARACTERS = 64 * 1024 * 1024

// How long a stream may go on once the reply is complete; the counts of tokens follow at once or never.
const AFTER_FINISH_MS = 1_500

/** What an exchange works with. */
export interface ExchangeContext {
  readonly endpoint: Endpoint
  readonly failure: FailureContext
  readonly clock: CallClock
  /** The caller's own signal, to tell an abort from a limit. */
  readonly caller: AbortSignal
  /** Called with visible text as it arrives. */
  readonly onText: (text: string) => void
}

/** What came back. */
export interface Answer {
  readonly reply: AssembledReply
  /** The whole answer as JSON; absent for a stream. */
  readonly raw?: unknown
}

/**
 * Sends one body and reads the reply, streamed or whole, whichever the server sends.
 *
 * @throws MendloopError MODEL_REQUEST_FAILED, ABORTED
 */
export async function exchange(
  body: Readonly<Record<string, unknown>>,
  context: ExchangeContext,
): Promise<Answer> {
  const { endpoint, failure, clock, caller } = context
  const assembler = new ReplyAssembler(context.onText)
  let isStream = false
  try {
    const sent = endpoint.client.post('/chat/completions', { body, signal: clock.signal })
    const response = await sent.asResponse()
    const contentType = response.headers.get('content-type')?.toLowerCase() ?? ''
    isStream =
      contentType.includes('event-stream') || (body['stream'] === true && !/json|html/.test(contentType))
    const reading = { contentType, assembler, ...context }
    return isStream ? await readStream(response, reading) : await readWhole(response, reading)
  } catch (error) {
    if (MendloopError.is(error)) throw error
    if (caller.aborted) throw aborted(failure, caller)
    // The server has said how the reply ends; whatever broke after that takes nothing from it.
    if (isStream && assembler.finished) return { reply: assembler.finish() }
    if (error instanceof APIError && error.status !== undefined) throw statusFailure(failure, error)
    if (clock.expired !== undefined) throw stalled(failure, clock.expired, assembler.text)
    if (error instanceof EventTooLong)
      throw malformed(failure, 'an event without end', { contentType: 'event stream', retryable: false })
    if (isStream) throw truncated(failure, assembler.started, assembler.text, error)
    throw connectionFailure(failure, error)
  } finally {
    clock.dispose()
  }
}

interface Reading extends ExchangeContext {
  readonly contentType: string
  readonly assembler: ReplyAssembler
}

async function readWhole(response: Response, reading: Reading): Promise<Answer> {
  const { failure, contentType, assembler, clock } = reading
  let text = ''
  try {
    for await (const piece of textOfBody(response)) {
      clock.beat()
      text += piece
      if (text.length > MAX_BODY_CHARACTERS)
        throw malformed(failure, 'a body without end', { contentType, retryable: false })
    }
  } catch (error) {
    // A connection that breaks, or stays open, after the last byte of the reply takes nothing from it.
    if (MendloopError.is(error) || reading.caller.aborted || !isComplete(text)) throw error
  }
  const raw = parseJson(text)
  if (raw !== undefined) return takeWhole(raw, text, reading)
  // A gateway may stream although nobody asked for it, and call it something else.
  if (/^\s*(data|event)?:/.test(text)) {
    const parser = new EventStreamParser()
    const done = takeEvents(parser.push(text), reading) || takeEvents(parser.end(), reading, true)
    return settle(done, parser.stray, reading)
  }
  const head = text.trim()
  if (head === '') throw malformed(failure, 'an empty body', { contentType, retryable: null })
  const problem = /^[[{]/.test(head) ? 'half a JSON text' : 'a body that is no JSON'
  const retryable = /^[[{]/.test(head)
  throw malformed(failure, problem, { contentType, body: head, textSoFar: assembler.text, retryable })
}

const isComplete = (text: string): boolean =>
  parseJson(text) !== undefined || /^data: ?(\[DONE\]|.*"finish_reason": *"\w)/m.test(text)

function takeWhole(raw: unknown, text: string, { failure, contentType, assembler }: Reading): Answer {
  const error = errorIn(raw)
  if (error !== undefined) throw statedFailure(failure, error, '')
  if (isRecord(raw)) assembler.push(raw)
  if (!assembler.started)
    throw malformed(failure, 'no choices in its reply', { contentType, body: text, retryable: null })
  return { reply: assembler.finish(), raw }
}

async function readStream(response: Response, reading: Reading): Promise<Answer> {
  const parser = new EventStreamParser()
  for await (const piece of textOfBody(response)) {
    const events = parser.push(piece)
    // Comments are no events: a server that only pings is as silent as one that sends nothing.
    if (events.length > 0) reading.clock.beat()
    if (takeEvents(events, reading)) return settle(true, parser.stray, reading)
    if (reading.assembler.finished) reading.clock.closeSoon(AFTER_FINISH_MS)
  }
  return settle(takeEvents(parser.end(), reading, true), parser.stray, reading)
}

/** @returns true at the end mark, or at the counts that follow a complete reply: after these nothing counts */
function takeEvents(events: readonly ServerEvent[], reading: Reading, isEnd = false): boolean {
  for (const { name, data } of events) {
    if (data.trim().startsWith('[DONE]')) return true
    const values = jsonValues(data)
    if (name === 'error') throw statedFailure(reading.failure, values?.[0] ?? data, reading.assembler.text)
    // The last event of a stream that was cut is half an event.
    if (values === undefined && (isEnd || reading.assembler.finished)) return false
    if (values === undefined) {
      const { contentType, failure, assembler } = reading
      const details = { contentType, body: data, textSoFar: assembler.text, retryable: null }
      throw malformed(failure, 'an event that is no JSON', details)
    }
    for (const value of values) {
      const error = errorIn(value)
      if (error !== undefined) throw statedFailure(reading.failure, error, reading.assembler.text)
      if (isRecord(value)) reading.assembler.push(value)
    }
    if (reading.assembler.counted) return true
  }
  return false
}

/** The JSON of an event: one value over all its lines, or, where a server leaves the blank lines out, one a line. */
function jsonValues(data: string): unknown[] | undefined {
  if (data.trim() === '') return []
  const whole = parseJson(data)
  if (whole !== undefined) return [whole]
  const values = data
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('[DONE]'))
    .map(parseJson)
  return values.length > 0 && values.every((value) => value !== undefined) ? values : undefined
}

/** Decides what a stream that is over amounts to. */
function settle(done: boolean, stray: string, reading: Reading): Answer {
  const { failure, contentType, assembler } = reading
  if (assembler.finished || (done && assembler.started)) return { reply: assembler.finish() }
  const outside = parseJson(stray)
  if (isRecord(outside) || Array.isArray(outside)) return takeWhole(outside, stray, reading)
  if (!assembler.started && stray !== '')
    throw malformed(failure, 'a body that is no event stream', { contentType, body: stray, retryable: false })
  if (done) throw malformed(failure, 'a stream without choices', { contentType, retryable: null })
  throw truncated(failure, assembler.started, assembler.text)
}

async function* textOfBody(response: Response): AsyncGenerator<string> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  for await (const bytes of response.body) yield decoder.decode(bytes, { stream: true })
  const rest = decoder.decode()
  if (rest !== '') yield rest
}
