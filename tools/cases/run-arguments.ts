// Kind `arguments`: the text of a tool call's arguments, as a reply that holds nothing else.
import { type Extraction, extractCandidate } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import {
  all,
  asBoolean,
  asFilledEntries,
  asFilledList,
  asFilledText,
  asFilledTexts,
  type Complaint,
  equals,
  NotUnderstood,
  own,
} from './expectation.js'
import { languageOfReply } from './language-names.js'
import { complaintAboutRunning, complaintsAbout, readReply } from './run-extract.js'

/** Neutral name of an error → the kinds of failure that it may be. */
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  truncated: ['truncated-reply'],
  'truncated-reply': ['truncated-reply'],
  incomplete: ['truncated-reply'],
  'invalid-arguments': ['schema', 'edit'],
  'bad-arguments': ['schema', 'edit'],
  invalid: ['schema', 'edit'],
  malformed: ['schema'],
  schema: ['schema'],
  edit: ['edit'],
  'no-code': ['no-code'],
}

/** Runs a case of kind `arguments`. */
export async function runArgumentsCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const call = { id: 'call-1', name: 'run_code', arguments: readReply(folder, input['input']) }
  const reply = { text: '', finish: 'tool', toolCalls: [call] } as const
  const extraction = extractCandidate(reply, { language: languageOfReply(reply) })
  const isRefused = extraction.status !== 'ok' && (expect['error'] ?? expect['oneOf']) !== undefined
  const found = [
    complaintAbout(expect, extraction),
    // Where an error will do as well, there may be nothing to run.
    isRefused ? undefined : await complaintAboutRunning(input, extraction),
  ]
  const reasons = found.filter((complaint) => complaint !== undefined)
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

function complaintAbout({ error, never, oneOf, ...rest }: Fields, extraction: Extraction): Complaint {
  return all(
    ...complaintsAbout(rest, extraction),
    error === undefined ? undefined : complaintAboutError(error, extraction),
    // Where it is a sentence about what must not be, the other expectations say the same in data.
    never === undefined ? undefined : containsNever(never, extraction),
    oneOf === undefined ? undefined : complaintAboutAll(oneOf, extraction),
  )
}

/** True: some error; a text: an error of this name. */
function complaintAboutError(wanted: unknown, extraction: Extraction): Complaint {
  const kind = extraction.status === 'ok' ? undefined : extraction.failure.kind
  if (typeof wanted === 'boolean') return equals('error', asBoolean(wanted), kind !== undefined)
  const name = asFilledText(wanted)
  const kinds = own(ERRORS, name)
  if (kinds === undefined) throw new NotUnderstood(`the error "${name}" is not known here`)
  return kind !== undefined && kinds.includes(kind)
    ? undefined
    : `error: expected "${name}", got ${kind ?? 'a program'}`
}

function containsNever(wanted: unknown, extraction: Extraction): Complaint {
  const code = extraction.status === 'ok' ? extraction.code.trim() : undefined
  const refused = asFilledTexts(wanted).map((text) => text.trim())
  return code !== undefined && refused.includes(code) ? `code: must never be ${code}` : undefined
}

function complaintAboutAll(alternatives: unknown, extraction: Extraction): Complaint {
  const complaints = asFilledList(alternatives).map((one) =>
    complaintAbout(Object.fromEntries(asFilledEntries(one)), extraction),
  )
  return complaints.includes(undefined) ? undefined : `none of the alternatives: ${complaints.join(' | ')}`
}
