// A run record as JSON lines: one header line, then one line an event; and back.
import { MendloopError } from '../contract/errors.js'
import type { LoopEvent } from '../contract/events.js'
import { isBytes } from '../contract/foreign-values.js'
import type { RunRecord } from '../contract/loop.js'

/** Name of the format in the header line. */
const FORMAT = 'mendloop-run'

/**
 * Writes a record as JSON lines: `{"format":"mendloop-run","version":1,"runId":…}`, then one event a line, each line
 * ended by a newline. Image bytes in messages become base64.
 */
export function recordToJsonl(record: RunRecord): string {
  const lines: unknown[] = [
    { format: FORMAT, version: record.version, runId: record.runId },
    ...record.events,
  ]
  return lines.map((line) => `${JSON.stringify(line, bytesAsBase64)}\n`).join('')
}

/**
 * Reads a record back.
 *
 * A last line that was cut in the middle (the writer died) is left out; everything before it is kept.
 *
 * @throws MendloopError RECORD_INVALID when it is no such record, naming the line
 */
export function recordFromJsonl(text: string): RunRecord {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const header = parseLine(lines[0] ?? last, 1)
  if (header['format'] !== FORMAT)
    throw invalid('the first line is not the header of a Mendloop run record', 1)
  if (header['version'] !== 1)
    throw invalid(`it has version ${String(header['version'])}, and this library reads version 1`, 1)
  const events = lines.slice(1).map((line, index) => {
    const event = parseLine(line, index + 2)
    if (typeof event['type'] !== 'string' || typeof event['sequence'] !== 'number')
      throw invalid('this line is not an event', index + 2)
    return event as unknown as LoopEvent
  })
  return { version: 1, runId: String(header['runId']), events }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below, with the number of the line.
  }
  throw invalid('this line is not a JSON object', number)
}

const invalid = (reason: string, line: number): MendloopError =>
  new MendloopError('RECORD_INVALID', `Line ${line} of the run record: ${reason}.`, {
    details: { line, reason },
  })

const bytesAsBase64 = (_key: string, value: unknown): unknown =>
  isBytes(value) ? { base64: Buffer.from(value).toString('base64') } : value
