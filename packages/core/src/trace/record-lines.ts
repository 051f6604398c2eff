// Events to lines and back. What an event repeats of those before it is written once, and put back when it is read.
import { MendloopError } from '../contract/errors.js'
import type { LoopEvent, LoopEventOf } from '../contract/events.js'
import type { ExecutionResult } from '../contract/execution.js'
import { problemOfEvent } from './event-schemas.js'
import { type Redact, redactedCopy } from './redaction.js'

/** Name of the format in the header line. */
const FORMAT = 'mendloop-run'
const VERSION = 1

/** The runs of programs that an attempt's own may be among: a compiler's and the program's, and again in a new sandbox. */
class LastRuns {
  #runs: LoopEventOf<'execution-end'>[] = []

  take(event: LoopEvent): void {
    if (event.type === 'execution-end' && event.purpose === 'program')
      this.#runs = [...this.#runs.slice(-3), event]
    if (event.type === 'attempt-end') this.#runs = []
  }

  find(isWanted: (event: LoopEventOf<'execution-end'>) => boolean): LoopEventOf<'execution-end'> | undefined {
    return this.#runs.findLast(isWanted)
  }
}

type Plain = Readonly<Record<string, unknown>>

/** The first line of a record, with its newline. */
export const headerLine = (runId: string): string =>
  `${JSON.stringify({ format: FORMAT, version: VERSION, runId })}\n`

/** Writes the events of one record, in order. */
export class RecordEncoder {
  readonly #redact: Redact | undefined
  /** Every message written so far, as JSON, with its number. */
  readonly #messages = new Map<string, number>()
  readonly #runs = new LastRuns()

  constructor(redact?: Redact) {
    this.#redact = redact
  }

  /** One line with its newline. */
  line(event: LoopEvent): string {
    const { type, runId } = event
    const shortened = event.type === 'attempt-end' ? this.#attemptEnd(event) : event
    this.#runs.take(event)
    const plain: Plain = { ...redactedCopy(shortened as unknown as Plain, this.#redact), type, runId }
    return `${JSON.stringify(type === 'model-start' ? this.#modelStart(plain) : plain)}\n`
  }

  /** A message that was sent before is written as its number among those written, `{"same":0}`. */
  #modelStart(event: Plain): Plain {
    const messages = (event['messages'] as readonly unknown[]).map((message) => {
      const text = JSON.stringify(message)
      const same = this.#messages.get(text)
      if (same !== undefined) return { same }
      this.#messages.set(text, this.#messages.size)
      return message
    })
    return { ...event, messages }
  }

  /** An execution that an event of the attempt holds is written as the number of that event. */
  #attemptEnd(event: LoopEventOf<'attempt-end'>): unknown {
    const { execution } = event.result
    const held = this.#runs.find(({ result }) => execution !== undefined && isSame(execution, result))
    if (execution === undefined || held === undefined) return event
    const { step } = execution
    const reference = { same: held.sequence, ...(step !== undefined && { step }) }
    return { ...event, result: { ...event.result, execution: reference } }
  }
}

/** True when both are of the same parts; which step it was is known only once it is over. */
function isSame(execution: ExecutionResult, result: ExecutionResult): boolean {
  const names = new Set([...Object.keys(execution), ...Object.keys(result)]) as Set<keyof ExecutionResult>
  names.delete('step')
  return [...names].every((name) => execution[name] === result[name])
}

/** A last line that was cut, as when its writer was killed. */
export interface CutLine {
  /** 1-based. */
  readonly line: number
}

/** Reads the lines of one record, in order, without their newlines. */
export class RecordDecoder {
  runId: string | undefined
  #number = 0
  /** A line that cannot be read: cut when it is the last, damage otherwise. */
  #unread: { readonly line: number; readonly isBlank: boolean } | undefined
  #sequence = -1
  readonly #messages: unknown[] = []
  readonly #runs = new LastRuns()

  /**
   * The event of a line; undefined for the header and for a line that may have been cut.
   *
   * @throws MendloopError RECORD_INVALID naming the line
   */
  event(text: string): LoopEvent | undefined {
    this.#number++
    if (this.#unread !== undefined) throw invalid('this line is not a JSON object', this.#unread.line)
    const value = parsed(text)
    if (this.runId === undefined) {
      this.runId = runIdOf(value)
      return undefined
    }
    if (value !== undefined) return this.#restored(value)
    this.#unread = { line: this.#number, isBlank: text.trim() === '' }
    return undefined
  }

  /**
   * To be called after the last line.
   *
   * @throws MendloopError RECORD_INVALID when there was no header
   */
  end(): { readonly runId: string; readonly cut?: CutLine } {
    const { runId } = this
    if (runId === undefined) throw invalid('the record is empty', 1)
    const cut = this.#unread
    return { runId, ...(cut !== undefined && !cut.isBlank && { cut: { line: cut.line } }) }
  }

  #restored(plain: Plain): LoopEvent {
    const event = this.#withoutReferences(plain)
    const problem = plain['format'] === FORMAT ? 'a second record begins here' : problemOfEvent(event)
    if (problem !== undefined) throw invalid(problem, this.#number)
    // Checked above for what is used of it; the rest is our own writing, handed through somebody's storage.
    const known = event as unknown as LoopEvent
    if (known.runId !== this.runId) throw invalid('this event is of another run', this.#number)
    if (known.sequence <= this.#sequence) throw invalid('this event is out of order', this.#number)
    this.#sequence = known.sequence
    this.#runs.take(known)
    return known
  }

  #withoutReferences(plain: Plain): Plain {
    const { type, messages, result } = plain
    if (type === 'model-start' && Array.isArray(messages))
      return { ...plain, messages: messages.map((one: unknown) => this.#message(one)) }
    const execution = isObject(result) ? result['execution'] : undefined
    if (type !== 'attempt-end' || !isObject(result) || !isObject(execution) || !('same' in execution))
      return plain
    const held = this.#runs.find(({ sequence }) => sequence === execution['same'])
    if (held === undefined) throw invalid('it repeats an execution that is not in the attempt', this.#number)
    const step = 'step' in execution ? { step: execution['step'] } : {}
    return { ...plain, result: { ...result, execution: { ...held.result, ...step } } }
  }

  #message(one: unknown): unknown {
    if (!isObject(one)) return one
    if ('same' in one) {
      const message = this.#messages[Number(one['same'])]
      if (message === undefined) throw invalid('it repeats a message that is not there', this.#number)
      return message
    }
    const message = withBytes(one)
    this.#messages.push(message)
    return message
  }
}

function parsed(text: string): Plain | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function runIdOf(header: Plain | undefined): string {
  if (header?.['format'] !== FORMAT)
    throw invalid('the first line is not the header of a Mendloop run record', 1)
  const { version, runId } = header
  if (version !== VERSION)
    throw invalid(`it has version ${String(version)}, and this library reads version ${VERSION}`, 1)
  if (typeof runId !== 'string') throw invalid('the header names no run', 1)
  return runId
}

/** A message whose pictures are bytes again. */
function withBytes(message: Plain): Plain {
  const { content } = message
  if (!Array.isArray(content)) return message
  const parts = content.map((part: unknown) => {
    const data = isObject(part) ? part['data'] : undefined
    if (!isObject(part) || !isObject(data) || typeof data['base64'] !== 'string') return part
    return { ...part, data: new Uint8Array(Buffer.from(data['base64'], 'base64')) }
  })
  return { ...message, content: parts }
}

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (reason: string, line: number): MendloopError =>
  new MendloopError('RECORD_INVALID', `Line ${line} of the run record: ${reason}.`, {
    details: { line, reason },
  })
