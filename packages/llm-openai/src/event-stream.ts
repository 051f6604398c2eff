// Server-sent events as the standard has them, cut anywhere, and as servers really send them.

/** One event of a stream. */
export interface ServerEvent {
  /** Value of the `event` field; empty when there was none. */
  readonly name: string
  /** The data lines, joined by newlines. */
  readonly data: string
}

// Beyond this an event is no event, but something that would fill the memory.
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024

// Enough for an error object or the head of a page.
const MAX_STRAY_CHARACTERS = 64 * 1024

/** Thrown when one event grows without end. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong'
}

/**
 * Splits text into events. Lines end in LF, CR or CR LF; comments and fields without meaning here are passed over.
 *
 * Lines that are no field at all are kept in `stray`, because servers put errors there that belong in `data`.
 */
export class EventStreamParser {
  /** Text that was no event: a bare JSON object, an HTML page. */
  stray = ''
  #line = ''
  #name = ''
  #data: string[] = []
  #dataCharacters = 0
  #afterCarriageReturn = false

  /** Takes the next piece, however it was cut. */
  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = []
    let rest = text
    if (this.#afterCarriageReturn && rest !== '') {
      if (rest.startsWith('\n')) rest = rest.slice(1)
      this.#afterCarriageReturn = false
    }
    for (const match of rest.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
      this.#line += match[1] ?? ''
      if (this.#line.length + this.#dataCharacters > MAX_EVENT_CHARACTERS) throw new EventTooLong()
      const end = match[2] ?? ''
      if (end === '') continue
      this.#takeLine(events)
      // The other half of a CR LF may still be on its way.
      this.#afterCarriageReturn = end === '\r' && match.index + match[0].length === rest.length
    }
    return events
  }

  /** Takes the end of the stream; a last event needs no blank line after it. */
  end(): ServerEvent[] {
    const events: ServerEvent[] = []
    if (this.#line !== '') this.#takeLine(events)
    this.#dispatch(events)
    return events
  }

  #takeLine(events: ServerEvent[]): void {
    const line = this.#line
    this.#line = ''
    if (line === '') this.#dispatch(events)
    if (line === '' || line.startsWith(':')) return
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') {
      this.#data.push(value)
      this.#dataCharacters += value.length + 1
    } else if (field === 'event') this.#name = value
    else if (field === 'error') {
      this.#dispatch(events)
      events.push({ name: 'error', data: value })
    } else if (field !== 'id' && field !== 'retry' && this.stray.length < MAX_STRAY_CHARACTERS)
      this.stray += `${line.slice(0, MAX_STRAY_CHARACTERS)}\n`
  }

  #dispatch(events: ServerEvent[]): void {
    if (this.#data.length > 0) events.push({ name: this.#name, data: this.#data.join('\n') })
    this.#name = ''
    this.#data = []
    this.#dataCharacters = 0
  }
}
