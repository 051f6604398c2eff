// The record of a run that is still going on: each event is a line as soon as it has happened.
import type { WritableStream } from 'node:stream/web'
import type { LoopEvent } from '../contract/events.js'
import { inWords } from '../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import { isRecorded } from '../engine/run-events.js'
import { type RecordWriteOptions, recordWriteSchema } from './record-jsonl.js'
import { headerLine, RecordEncoder } from './record-lines.js'

/**
 * Where lines go: a function that appends one (it is awaited), a Node stream, or a web stream of bytes. A stream is not
 * ended or closed: it is yours.
 */
export type RecordSink = ((line: string) => unknown) | NodeJS.WritableStream | WritableStream<Uint8Array>

/** What became of a record that was written as the run went on. */
export interface WrittenRecord {
  /** Events that were written. */
  readonly events: number
  /** True when all of them were. */
  readonly complete: boolean
  /** Why not. */
  readonly error?: unknown
}

interface Target {
  write(line: string): Promise<void>
  release(): void
}

/**
 * Writes the record of a run while it goes on, one line an event, each handed over before the next.
 *
 * A write that fails is told once, as a process warning, and ends the writing but never the run: what was written until
 * then is a record that can be read.
 *
 * @param run - a run, or its events from the start
 * @returns once the run is over and its last line is written; never rejects
 * @throws MendloopError INVALID_OPTION, at once
 */
export function writeRecord(
  run: AsyncIterable<LoopEvent>,
  sink: RecordSink,
  options: RecordWriteOptions = {},
): Promise<WrittenRecord> {
  const { redact } = parseOptions(recordWriteSchema, options, 'writeRecord()')
  return write(run, targetOf(sink), new RecordEncoder(redact))
}

async function write(
  run: AsyncIterable<LoopEvent>,
  target: Target,
  encoder: RecordEncoder,
): Promise<WrittenRecord> {
  let events = 0
  try {
    for await (const event of run) {
      if (!isRecorded(event)) continue
      if (events === 0) await target.write(headerLine(event.runId))
      await target.write(encoder.line(event))
      events++
    }
    return { events, complete: true }
  } catch (error) {
    process.emitWarning(
      `The record of a run could not be written further, after ${events} events: ${inWords(error)}`,
      'MendloopRecordWarning',
    )
    return { events, complete: false, error }
  } finally {
    target.release()
  }
}

function targetOf(sink: RecordSink): Target {
  if (typeof sink === 'function')
    return {
      write: async (line) => {
        await sink(line)
      },
      release: () => undefined,
    }
  if (typeof sink === 'object' && sink !== null && 'getWriter' in sink) return webTarget(sink)
  if (typeof (sink as NodeJS.WritableStream | null)?.write === 'function') return nodeTarget(sink)
  throw invalidOption('writeRecord()', 'sink', 'must be a function, a Node stream or a WritableStream', {
    expected: 'a function of a line, or a writable stream',
    received: typeof sink,
  })
}

function webTarget(sink: WritableStream<Uint8Array>): Target {
  if (sink.locked)
    throw invalidOption('writeRecord()', 'sink', 'somebody else is writing to this stream', {
      expected: 'a stream that is not locked',
      received: 'a locked WritableStream',
    })
  const writer = sink.getWriter()
  // Each write tells of its failure; the stream's own promise must not end the process.
  writer.closed.catch(() => undefined)
  const encoder = new TextEncoder()
  return { write: (line) => writer.write(encoder.encode(line)), release: () => writer.releaseLock() }
}

function nodeTarget(sink: NodeJS.WritableStream): Target {
  // Without a listener an error of the stream would end the process; the write that failed tells of it.
  const ignore = (): void => undefined
  sink.on('error', ignore)
  return {
    write: (line) =>
      new Promise((resolve, reject) => {
        sink.write(line, (error) => (error ? reject(error) : resolve()))
      }),
    // A stream that failed says so a tick later.
    release: () => void setImmediate(() => sink.off('error', ignore)),
  }
}
