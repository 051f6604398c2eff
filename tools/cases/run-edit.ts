// Kind `edit`: a reply with search/replace blocks or a patch, and what becomes of the files.
import { type AppliedEdits, applyEdits, extractCandidate, extractEdits } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import {
  asBoolean,
  asCount,
  asFilledEntries,
  asFilledText,
  asFilledTexts,
  asList,
  asObject,
  asText,
  type Complaint,
  equals,
  NotUnderstood,
  own,
  shown,
} from './expectation.js'
import { languageOfFile } from './language-names.js'
import { readReply } from './run-extract.js'

type Files = Readonly<Record<string, string>>

/** What came of the edits, by the stages alone. */
interface Edited {
  readonly before: Files
  readonly after: Files
  readonly folder: string
  readonly applied: boolean
  readonly reason: string | undefined
  readonly matches: number | undefined
  readonly lines: readonly number[] | undefined
  readonly warnings: readonly string[]
}

const CHECKS: Readonly<Record<string, (wanted: unknown, edited: Edited) => Complaint>> = {
  applied: (wanted, { applied, reason }) =>
    equals(`applied (${reason ?? 'no reason'})`, asBoolean(wanted), applied),
  reason: (wanted, { reason }) => equals('reason', asFilledText(wanted), reason),
  matches: (wanted, { matches }) => equals('matches', asCount(wanted), matches),
  lines: (wanted, { lines }) => equals('lines', asList(wanted).map(asCount), lines),
  unchanged: (wanted, { before, after }) =>
    equals('unchanged', asBoolean(wanted), JSON.stringify(sorted(before)) === JSON.stringify(sorted(after))),
  content: (wanted, { after, folder }) =>
    complaintAboutTexts(wanted, after, (file) => readReply(folder, asFilledText(file))),
  contentText: (wanted, { after }) => complaintAboutTexts(wanted, after, asText),
  created: (wanted, { before, after }) => {
    const missing = asFilledTexts(wanted).find(
      (path) => own(before, path) !== undefined || own(after, path) === undefined,
    )
    return missing === undefined ? undefined : `created: ${shown(missing)} is no new file`
  },
  notCreated: (wanted, { after }) => {
    const there = asFilledTexts(wanted).find((path) => own(after, path) !== undefined)
    return there === undefined ? undefined : `created: ${shown(there)} should not be there`
  },
  warningsInclude: (wanted, { warnings }) => {
    const missing = asFilledTexts(wanted).find((one) => !warnings.includes(one))
    return missing === undefined ? undefined : `warnings: "${missing}" is missing from ${shown(warnings)}`
  },
}

/** Runs a case of kind `edit`. */
export async function runEditCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const before = Object.fromEntries(
    Object.entries(asObject(input['files'] ?? {})).map(([path, file]) => [path, readReply(folder, file)]),
  )
  const text = readReply(folder, input['input'])
  const edited = editedBy(text, before, folder)
  const reasons = [...complaintsAbout(expect, edited), asReply(text, before, edited)].filter(
    (complaint) => complaint !== undefined,
  )
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

function editedBy(text: string, files: Files, folder: string): Edited {
  const given = structuredClone(files)
  const found = extractEdits(text, { files })
  const applied: AppliedEdits = applyEdits(files, found.edits)
  const problems = [...found.problems, ...(applied.status === 'failed' ? applied.problems : [])]
  const isDone = problems.length === 0 && found.edits.length > 0
  return {
    before: given,
    after: isDone ? applied.files : files,
    folder,
    applied: isDone,
    reason: problems[0]?.reason ?? (isDone ? undefined : 'no-edit'),
    matches: problems[0]?.matches,
    lines: problems[0]?.lines,
    warnings: [...found.warnings, ...(applied.status === 'applied' ? applied.warnings : [])],
  }
}

/** The same reply through the door that the loop uses comes to the same. */
function asReply(text: string, files: Files, { applied, after }: Edited): Complaint {
  const [entry] = Object.keys(files)
  if (entry === undefined) return undefined
  const found = extractCandidate(text, { language: languageOfFile(entry), entry, files })
  if (found.status !== 'ok')
    return applied ? `as a reply: refused, ${found.failure.message.slice(0, 200)}` : undefined
  if (!applied) return 'as a reply: taken, although the edits cannot be made'
  return equals('as a reply: files', sorted(after), sorted(found.candidate.files))
}

function complaintsAbout(expect: Fields, edited: Edited): Complaint[] {
  const { oneOf, never, ...rest } = expect
  const complaints = Object.entries(rest).map(([key, wanted]) => {
    const check = own(CHECKS, key)
    if (check === undefined) throw new NotUnderstood(`the expectation "${key}" is not known here`)
    return check(wanted, edited)
  })
  if (oneOf !== undefined) complaints.push(oneOfComplaint(oneOf, edited))
  return [...complaints, neverComplaint(never, edited, expect)]
}

/** Fulfils one of several sets of expectations. */
function oneOfComplaint(wanted: unknown, edited: Edited): Complaint {
  const tries = asList(wanted).map((one) =>
    complaintsAbout(Object.fromEntries(asFilledEntries(one)), edited).filter(
      (complaint) => complaint !== undefined,
    ),
  )
  if (tries.length === 0) throw new NotUnderstood('an empty list in the case asks for nothing')
  if (tries.some((complaints) => complaints.length === 0)) return undefined
  return `none of ${tries.length} ways: ${tries.map((complaints) => complaints.join(', ')).join(' | ')}`
}

/** Words for what must not be: only beside an expectation that holds the files to the letter. */
function neverComplaint(never: unknown, edited: Edited, expect: Fields): Complaint {
  if (never === undefined) return undefined
  asFilledText(never)
  const ways = expect['oneOf'] === undefined ? [expect] : asList(expect['oneOf']).map(asObject)
  const isExact = ways.every((one) =>
    ['content', 'contentText', 'unchanged'].some((key) => own(one, key) !== undefined),
  )
  if (isExact) return undefined
  if (edited.applied)
    throw new NotUnderstood('"never" needs "content", "contentText" or "unchanged" beside it')
  return undefined
}

function complaintAboutTexts(wanted: unknown, after: Files, textOf: (value: unknown) => string): Complaint {
  const complaints = asFilledEntries(wanted).map(([path, value]) =>
    equals(`content of ${path}`, textOf(value), own(after, path)),
  )
  return complaints.find((complaint) => complaint !== undefined)
}

const sorted = (files: Files): readonly (readonly [string, string])[] =>
  Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1))
