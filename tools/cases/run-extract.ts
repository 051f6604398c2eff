// Kind `extract`: what a reply yields, and whether that really runs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidate, type Extraction, extractCandidate, runSource } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import {
  all,
  asBoolean,
  asCount,
  asFilledEntries,
  asFilledText,
  asFilledTexts,
  asKnown,
  asList,
  asObject,
  asText,
  type Complaint,
  contains,
  containsNone,
  equals,
  isOneOf,
  NotUnderstood,
  own,
  sameCode,
  shown,
} from './expectation.js'
import { asLanguage, languageOfReply } from './language-names.js'
import { caseSandbox, EXTRACT_STATUSES, extractOptions, FINISHES } from './names.js'

type Check = (wanted: unknown, extraction: Extraction) => Complaint

const CHECKS: Readonly<Record<string, Check>> = {
  status: (wanted, { status }) => equals('status', wanted, status),
  statusIn: (wanted, { status }) => isOneOf('status', wanted, status, EXTRACT_STATUSES),
  language: (wanted, extraction) => equals('language', asLanguage(wanted), languageOfOk(extraction)),
  languages: (wanted, extraction) =>
    equals(
      'languages',
      wanted,
      extraction.codes.map(() => languageOfOk(extraction)),
    ),
  code: (wanted, extraction) => sameCode('code', wanted, codeOf(extraction)),
  codes: (wanted, { codes }) =>
    all(
      equals('number of programs', asList(wanted).length, codes.length),
      ...asList(wanted).map((code, index) => sameCode(`program ${index + 1}`, code, codes[index])),
    ),
  contains: (wanted, extraction) => contains('code', wanted, codeOf(extraction) ?? ''),
  notContains: (wanted, extraction) => containsNone('code', wanted, everythingThatRuns(extraction)),
  notEmpty: (wanted, extraction) =>
    equals('code is not empty', asBoolean(wanted), (codeOf(extraction) ?? '').trim() !== ''),
  blocksSeen: (wanted, { blocks }) => equals('blocks seen', asCount(wanted), blocks.length),
  closed: (wanted, { blocks, notRun }) => {
    const used = blocks.filter((block) => !notRun.includes(block))[0] ?? blocks.at(-1)
    return equals('closed', asBoolean(wanted), used?.closed)
  },
  reasoningContains: (wanted, { reasoning }) => contains('reasoning', wanted, reasoning),
  warnings: (wanted, { warnings }) => equals('warnings', wanted, warnings),
  warningsInclude: (wanted, { warnings }) => {
    const missing = asFilledTexts(wanted).find((warning) => !warnings.includes(warning))
    return missing === undefined ? undefined : `warnings: "${missing}" is missing from ${shown(warnings)}`
  },
  mustNotRun: (wanted, extraction) =>
    typeof wanted === 'boolean'
      ? equals(`must not run (status ${extraction.status})`, wanted, extraction.status !== 'ok')
      : containsNone('code', wanted, everythingThatRuns(extraction)),
  mustNotRunAs: (wanted, extraction) => {
    const language = languageOfOk(extraction)
    return asFilledTexts(wanted)
      .map(asLanguage)
      .includes(language ?? '')
      ? `code: must not run as ${language}`
      : undefined
  },
  feedbackMentions: (wanted, extraction) => contains('feedback', wanted, feedbackOf(extraction), true),
  feedbackWhenSomeNotRun: (wanted, { notice }) => {
    if (wanted === false) return equals('feedback about what was not run', undefined, notice)
    if (notice === undefined) return 'feedback: blocks were not run, and nothing says so'
    return wanted === true ? undefined : contains('feedback', wanted, notice, true)
  },
}

/** Runs a case of kind `extract`. */
export async function runExtractCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const { byPick, ...rest } = expect
  const options = asObject(input['options'] ?? {})
  const text = readReply(folder, input['input'])
  const { finish } = input
  const reply = finish === undefined ? text : { text, finish: asKnown(finish, FINISHES) }
  const language = options['language'] ?? languageOfReply(reply)
  const extract = (more: Fields = {}): Extraction =>
    extractCandidate(reply, extractOptions({ ...options, language, ...more }))

  const extraction = extract()
  const complaints = complaintsAbout(rest, extraction)
  for (const [pick, wanted] of byPick === undefined ? [] : asFilledEntries(byPick)) {
    const found = complaintsAbout(asPickExpectations(wanted), extract({ pick }))
    complaints.push(...found.map((complaint) => complaint && `pick ${pick}: ${complaint}`))
  }
  complaints.push(await complaintAboutRunning(input, extraction))
  const reasons = complaints.filter((complaint) => complaint !== undefined)
  return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
}

/** A text means the code, a list means the codes, an object means expectations of its own. */
function asPickExpectations(wanted: unknown): Fields {
  if (typeof wanted === 'string') return { code: wanted }
  return Array.isArray(wanted) ? { codes: wanted } : Object.fromEntries(asFilledEntries(wanted))
}

/** What is wrong with an extraction, expectation by expectation. */
export function complaintsAbout(expect: Fields, extraction: Extraction): Complaint[] {
  return Object.entries(expect).map(([key, wanted]) => {
    const check = own(CHECKS, key)
    if (check === undefined) throw new NotUnderstood(`the expectation "${key}" is not known here`)
    return check(wanted, extraction)
  })
}

/** `runStdout` and `check`: the extracted program really runs, in the sandbox. */
export async function complaintAboutRunning(input: Fields, extraction: Extraction): Promise<Complaint> {
  const { runStdout, check } = input
  if (runStdout === undefined && check === undefined) return undefined
  if (extraction.status !== 'ok')
    return `nothing to run: ${extraction.status} (${extraction.failure.message})`
  const { candidate } = extraction
  await using sandbox = await caseSandbox().create({ limits: { wallMs: 20_000 } })
  const complaints: Complaint[] = []
  const run = async (files: Candidate['files'], stdout: string | undefined): Promise<void> => {
    const program = { language: extraction.language, files, entry: candidate.entry }
    const { ok, run: ran, compile } = await runSource(sandbox, program)
    const said = (ran ?? compile)?.stderr.text.slice(-300)
    complaints.push(ok ? undefined : `the program failed: ${shown(said)}`)
    if (stdout !== undefined) complaints.push(equals('what the program prints', stdout, ran?.stdout.text))
  }
  if (runStdout !== undefined) await run(candidate.files, asText(runStdout))
  if (check !== undefined) {
    if (extraction.language !== 'python') throw new NotUnderstood('"check" is an expression of Python')
    const code = candidate.files[candidate.entry] ?? ''
    const checked = `${code}\nassert (${asFilledText(check)})\n`
    await run({ ...candidate.files, [candidate.entry]: checked }, undefined)
  }
  return all(...complaints)
}

/** Text of a file of the case. */
export const readReply = (folder: string, file: unknown): string =>
  readFileSync(join(folder, asText(file)), 'utf8')

const codeOf = (extraction: Extraction): string | undefined =>
  extraction.status === 'ok' ? extraction.code : undefined

const languageOfOk = (extraction: Extraction): string | undefined =>
  extraction.status === 'ok' ? extraction.language : undefined

const everythingThatRuns = (extraction: Extraction): string =>
  extraction.status === 'ok'
    ? [extraction.code, ...extraction.codes, ...Object.values(extraction.candidate.files)].join('\n')
    : ''

/** What the model is told of an extraction. */
export const feedbackOf = (extraction: Extraction): string =>
  extraction.status === 'ok' ? (extraction.notice ?? '') : extraction.failure.message
