// The one error of an import that was refused: a sentence with the entry, the rule and what to do.
import { type ArchiveRefusalReason, MendloopError } from '../../contract/errors.js'

const WHAT_TO_DO: Readonly<Record<ArchiveRefusalReason, string>> = {
  'not-an-archive': 'Give a zip, tar or tar.gz file.',
  corrupt: 'Transfer or make the archive again.',
  encrypted: 'Make the archive again without a password.',
  unsupported: 'Make the archive again as a plain zip (stored or deflated) or tar.',
  'bad-name': 'Make the archive again with relative paths and forward slashes.',
  conflict: 'Rename one of the two and make the archive again.',
  link: 'Make the archive again with copies in place of links.',
  'special-file': 'Make the archive again with regular files only.',
  'too-many-entries': 'Leave files out, or raise limits.files.',
  'too-large': 'Leave files out, or raise limits.fileBytes and limits.totalBytes.',
  'too-compressed': 'It may be a bomb; when you trust its source, raise limits.ratio.',
}

/**
 * @param problem - the end of a sentence that starts with the entry, or with "The archive"
 * @param entry - the name as the archive has it
 */
export function archiveRefused(
  reason: ArchiveRefusalReason,
  problem: string,
  entry?: string,
  cause?: unknown,
): MendloopError<'ARCHIVE_REFUSED'> {
  const subject = entry === undefined ? 'The archive' : `The archive's entry ${quoted(entry)}`
  const message = `${subject} ${problem}. Nothing was written. ${WHAT_TO_DO[reason]}`
  return new MendloopError('ARCHIVE_REFUSED', message, {
    details: { reason, ...(entry !== undefined && { entry }) },
    ...(cause !== undefined && { cause }),
  })
}

const quoted = (name: string): string => JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)
