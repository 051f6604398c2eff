// Kind `edit-whole-file`: a reply that holds a file anew, and whether it may take the old one's place.
import { type Extraction, extractCandidate } from '@mendloop/core'
import type { BugCase, CaseOutcome } from './bug-case.js'
import { asBoolean, asObject, type Complaint, contains, equals, NotUnderstood, own } from './expectation.js'
import { languageOfFile } from './language-names.js'
import { extractOptions } from './names.js'
import { feedbackOf, readReply } from './run-extract.js'

/** Runs a case of kind `edit-whole-file`. */
export async function runWholeFileCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const files = Object.fromEntries(
    Object.entries(asObject(input['files'])).map(([path, file]) => [path, readReply(folder, file)]),
  )
  const before = structuredClone(files)
  const [entry, ...others] = Object.keys(files)
  if (entry === undefined || others.length > 0) throw new NotUnderstood('"files" must be exactly one file')
  const text = readReply(folder, input['input'])
  const extraction = extractCandidate(text, extractOptions({ language: languageOfFile(entry), entry }, files))
  const checks: Record<string, (wanted: unknown, extraction: Extraction) => Complaint> = {
    applied: (wanted, { status }) => equals('applied', asBoolean(wanted), status === 'ok'),
    reason: (wanted, found) => equals('reason', wanted, found.status === 'ok' ? undefined : found.reason),
    unchanged: (wanted, found) => {
      const after = found.status === 'ok' ? { ...files, ...found.candidate.files } : files
      return equals('unchanged', asBoolean(wanted), JSON.stringify(after) === JSON.stringify(before))
    },
    feedbackMentions: (wanted, found) => contains('feedback', wanted, feedbackOf(found), true),
  }
  const reasons = Object.entries(expect)
    .map(([key, wanted]) => {
      const check = own(checks, key)
      return check === undefined ? `no check for "${key}"` : check(wanted, extraction)
    })
    .filter((complaint) => complaint !== undefined)
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}
