// A run record as JSON lines: one header line, then one line an event; and back, whole or piece by piece.
import { z } from 'zod'
import type { LoopEvent } from '../contract/events.js'
import type { RunRecord } from '../contract/loop.js'
import { parseOptions } from '../contract/options.js'
import { type CutLine, headerLine, RecordDecoder, RecordEncoder } from './record-lines.js'
import { type Redact, redactSchema } from './redaction.js'
import { linesFrom, linesOf, type TextSource } from './text-lines.js'

/** How a record is written. */
export interface RecordWriteOptions {
  /**
   * What is taken out of every text; names of files and fields stay. `true`: what `redactSecrets` knows of.
   * Default: nothing.
   */
  redact?: Redact
}

/** Schema of {@link RecordWriteOptions}. */
export const recordWriteSchema: z.ZodType<RecordWriteOptions> = z.strictObject({
  redact: redactSchema.optional(),
})

/** A record as it was read. */
export interface ReadRecord extends RunRecord {
  /** The last line, where it was cut in the middle and left out, as when the writer was killed. */
  readonly cut?: CutLine
}

/** How events are read. */
export interface RecordReadOptions {
  /** Told of a last line that was cut in the middle and is left out. */
  onCut?(cut: CutLine): void
}

const readSchema: z.ZodType<RecordReadOptions> = z.strictObject({
  onCut: z
    .custom<(cut: CutLine) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
})

/**
 * The lines of a record, each with its newline, made one at a time: for a record too large to be one text.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function recordLines(
  record: RunRecord,
  options: RecordWriteOptions = {},
): Generator<string, void, undefined> {
  const { redact } = parseOptions(recordWriteSchema, options, 'recordLines()')
  return lines(record, redact)
}

function* lines(
  { runId, events }: RunRecord,
  redact: Redact | undefined,
): Generator<string, void, undefined> {
  const encoder = new RecordEncoder(redact)
  yield headerLine(runId)
  for (const event of events) yield encoder.line(event)
}

/**
 * Writes a record as JSON lines: `{"format":"mendloop-run","version":1,"runId":…}`, then one event a line, each line
 * ended by a newline. Image bytes in messages become base64. A message that was sent before is its 0-based number
 * among the messages written in full, `{"same":0}`; an attempt's execution is `{"same":17}`, the `sequence` of the event that holds it.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function recordToJsonl(record: RunRecord, options: RecordWriteOptions = {}): string {
  return [...recordLines(record, options)].join('')
}

/**
 * Reads a record back, equal to the one that was written.
 *
 * A last line that was cut in the middle (the writer died) is left out and named in `cut`; everything before it is kept.
 *
 * @throws MendloopError RECORD_INVALID when it is no such record, naming the line
 */
export function recordFromJsonl(text: string): ReadRecord {
  const decoder = new RecordDecoder()
  const events: LoopEvent[] = []
  for (const line of linesOf(text)) {
    const event = decoder.event(line)
    if (event !== undefined) events.push(event)
  }
  return { version: 1, events, ...decoder.end() }
}

/**
 * Reads the events of a record one by one, holding one line at a time.
 *
 * @param source - text or bytes, whole or in pieces, such as `createReadStream('run.jsonl')`
 * @throws MendloopError RECORD_INVALID when it comes to a line that is none of a record, INVALID_OPTION
 */
export async function* readRecordEvents(
  source: TextSource,
  options: RecordReadOptions = {},
): AsyncGenerator<LoopEvent, void, undefined> {
  const { onCut } = parseOptions(readSchema, options, 'readRecordEvents()')
  const decoder = new RecordDecoder()
  for await (const line of linesFrom(source)) {
    const event = decoder.event(line)
    if (event !== undefined) yield event
  }
  const { cut } = decoder.end()
  if (cut !== undefined) onCut?.(cut)
}

/**
 * Reads a whole record from a stream, without ever holding its text.
 *
 * @param source - as of {@link readRecordEvents}
 * @throws MendloopError RECORD_INVALID naming the line
 */
export async function readRecord(source: TextSource): Promise<ReadRecord> {
  const decoder = new RecordDecoder()
  const events: LoopEvent[] = []
  for await (const line of linesFrom(source)) {
    const event = decoder.event(line)
    if (event !== undefined) events.push(event)
  }
  return { version: 1, events, ...decoder.end() }
}
