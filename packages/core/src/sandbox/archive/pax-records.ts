// The extended attributes of a tar entry: "LENGTH KEY=VALUE\n", one after the other (POSIX.1-2017 pax).
import { archiveRefused } from './archive-refused.js'

const SPACE = 0x20
const NEWLINE = 0x0a

/** @throws MendloopError ARCHIVE_REFUSED when a record is not what its length says */
export function readPaxRecords(bytes: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>()
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(SPACE, start)
    const digits = bytes.toString('latin1', start, Math.max(start, space))
    const end = start + (/^\d{1,6}$/.test(digits) ? Number(digits) : 0)
    const equals = bytes.indexOf('=', space)
    if (end <= equals || equals === -1 || end > bytes.length || bytes[end - 1] !== NEWLINE)
      throw archiveRefused('corrupt', 'has damaged attributes')
    records.set(bytes.toString('utf8', space + 1, equals), bytes.subarray(equals + 1, end - 1))
    start = end
  }
  return records
}
