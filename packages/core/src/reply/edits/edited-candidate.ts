// A reply that holds edits → the program with the edits made, beside the whole files that the reply sends.
import { defaultEntry, languageOfPath, runsAs } from '../../contract/language-names.js'
import { fingerprintOf } from '../../language/fingerprint.js'
import { knownLanguage } from '../../language/languages.js'
import { assemble } from '../assemble.js'
import { findBlocks } from '../blocks.js'
import { losesCode } from '../code-loss.js'
import type { CodeBlock } from '../extraction.js'
import { type Judged, judge } from '../judge.js'
import { cutOff, type NoCandidate } from '../no-candidate.js'
import { textAt } from '../path-label.js'
import { defines } from '../roles.js'
import type { ExtractContext } from '../select.js'
import { WorkBudget } from '../work-budget.js'
import { applyEdits, editFailure } from './apply-edits.js'
import type { EditProblem } from './edit.js'
import type { Known } from './edit-path.js'
import { type EditRegion, EditScanner, type ScannedEdits } from './scan-edits.js'

/** The program with the edits made. */
export interface EditedProgram {
  readonly files: Readonly<Record<string, string>>
  readonly entry: string
  readonly code: string
  readonly codes: readonly string[]
  readonly deleted: readonly string[]
  readonly blocks: readonly CodeBlock[]
  readonly notRun: readonly CodeBlock[]
  readonly notice?: string
  readonly warnings: readonly string[]
}

/** Edits that came to nothing. */
export interface NoEdits {
  readonly none: NoCandidate
  /** False when the reply may still hold a whole program, to which the edits are only an illustration. */
  readonly isFinal: boolean
}

/** Reads a reply that may hold edits; undefined when it holds none, or a complete new program that makes them needless. */
export function editedCandidate(
  answer: string,
  context: ExtractContext,
): EditedProgram | NoEdits | undefined {
  const { language, options } = context
  const known = options.files ?? {}
  const found = new EditScanner(answer, known).scan()
  if (found.edits.length === 0 && found.problems.length === 0) return undefined
  const lines = answer.split('\n')
  const rest = restOf(lines, found.regions, context)
  const isFinal = found.edits.length > 0 && Object.keys(known).length > 0
  if (rest.some((one) => isRewrite(one, known, context))) return undefined
  const cut = cutAt(found, rest, context)
  if (cut !== undefined) return { none: cutOff('reply-cut', language, cut), isFinal: true }
  if (found.problems.length > 0) return { none: refused(found.problems), isFinal }
  const wholes = wholeFiles(rest, found, known, context)
  const assembled =
    wholes.length === 0 ? undefined : assemble({ program: [], labelled: wholes, warnings: [] }, context)
  if (assembled !== undefined && 'reason' in assembled) return { none: assembled, isFinal: true }
  const written = assembled?.files ?? {}
  const edits = found.edits.filter(({ path }) => path === undefined || !Object.hasOwn(written, path))
  const applied = applyEdits({ ...known, ...written }, edits)
  if (applied.status === 'failed') return { none: refused(applied.problems), isFinal }
  const beside = edits.length < found.edits.length ? ['edit-beside-whole-file'] : []
  const changed = [...Object.keys(written), ...applied.changed]
  const { files, deleted } = applied
  const entry = entryOf(files, changed, context)
  const code = textAt(files, entry) ?? textAt(files, changed[0] ?? '') ?? ''
  const used = new Set(wholes.map(({ block }) => block))
  const regions = found.regions.map((region) => blockOf(region, lines))
  return {
    files,
    entry,
    code,
    codes: changed.length === 0 ? [code] : [...new Set(changed)].map((path) => textAt(files, path) ?? ''),
    deleted,
    blocks: [...rest.map(({ block }) => block), ...regions].sort((a, b) => a.line - b.line),
    notRun: rest.map(({ block }) => block).filter((block) => !used.has(block)),
    ...noticeOf(rest.filter((one) => !used.has(one.block) && isRunnable(one, language))),
    warnings: [...found.warnings, ...(assembled?.warnings ?? []), ...applied.warnings, ...beside],
  }
}

/** Why a reply with edits, and without any program, is of no use where there are no files that they could change. */
export function withoutFiles(plain: NoCandidate, { none }: NoEdits): NoCandidate {
  if (plain.status !== 'mismatch' || none.reason !== 'no-files') return none
  const { kind } = plain.failure
  const message = `${plain.failure.message} There are no files yet that an edit could change.`
  return { ...plain, failure: { kind, message, fingerprint: fingerprintOf({ kind, message }) } }
}

/** The blocks of a reply apart from its edits. */
function restOf(
  lines: readonly string[],
  regions: readonly EditRegion[],
  { language, options }: ExtractContext,
): readonly Judged[] {
  const rest = [...lines]
  for (const { from, to } of regions) rest.fill('', from, to)
  const text = rest.join('\n')
  const blocks = findBlocks(text, language, options, new WorkBudget(text.length))
  return blocks.map((one) => judge(one, language, options.entryPoint)).filter(({ is }) => is !== 'empty')
}

const isLabelled = ({ block, pathFrom, is }: Judged, language: string): boolean =>
  block.path !== undefined &&
  pathFrom === 'label' &&
  (is === language || languageOfPath(block.path) !== language)

const isRunnable = ({ is }: Judged, language: string): boolean =>
  is === language || knownLanguage(is) !== undefined

/** True for a complete new program without a label: the edits beside it show what changed. */
function isRewrite(one: Judged, known: Known, { language, options }: ExtractContext): boolean {
  if (one.is !== language || isLabelled(one, language) || one.parses === false || !defines(one)) return false
  const [only, ...others] = Object.keys(known)
  const entry = options.entry ?? (others.length === 0 ? only : undefined) ?? defaultEntry(language)
  const before = textAt(known, entry)
  if (before === undefined) return Object.keys(known).length === 0
  return !isSame(before, one.code) && !losesCode(before, one.code, language, '')
}

const isSame = (one: string, other: string): boolean => one.trimEnd() === other.trimEnd()

/** The line where a reply that was stopped is cut within an edit or a file. */
function cutAt(
  found: ScannedEdits,
  rest: readonly Judged[],
  { cut, language }: ExtractContext,
): number | undefined {
  const broken = rest.find(
    (one) => !one.block.closed && isLabelled(one, language) && (cut || one.parses === false),
  )
  if (broken !== undefined) return broken.block.line
  if (!cut) return undefined
  const open = found.regions.find(({ closed }) => !closed)
  return open === undefined ? found.problems.find(({ reason }) => reason === 'unclosed')?.line : open.from + 1
}

/** Labelled files that the reply sends whole, without what only shows the old text or a part beside an edit of it. */
function wholeFiles(
  rest: readonly Judged[],
  { edits }: ScannedEdits,
  known: Known,
  { language }: ExtractContext,
): readonly Judged[] {
  const edited = new Set(edits.map(({ path }) => path))
  return rest.filter((one) => {
    const { path } = one.block
    if (path === undefined || !isLabelled(one, language)) return false
    const before = textAt(known, path)
    if (before === undefined) return true
    if (isSame(before, one.code)) return false
    return !edited.has(path) || !losesCode(before, one.code, languageOfPath(path) ?? language, '')
  })
}

function refused(problems: readonly EditProblem[]): NoCandidate {
  const reason = problems[0]?.reason ?? 'malformed'
  const status = reason === 'no-files' ? 'mismatch' : 'incomplete'
  return { status, reason, failure: editFailure(problems) }
}

/** The file that is run: as asked; else the usual one; else the changed program. */
function entryOf(files: Known, changed: readonly string[], { language, options }: ExtractContext): string {
  const usual = options.entry ?? defaultEntry(language)
  if (options.entry !== undefined || Object.hasOwn(files, usual)) return usual
  const isProgram = (path: string): boolean => runsAs(languageOfPath(path) ?? '', language)
  const all = Object.keys(files).filter(isProgram)
  return (all.length === 1 ? all[0] : changed.find(isProgram)) ?? usual
}

function blockOf({ from, to, tag, closed, path }: EditRegion, lines: readonly string[]): CodeBlock {
  const isFenced = /^[ \t]*(?:`{3}|~{3})/.test(lines[from] ?? '')
  const body = isFenced ? lines.slice(from + 1, closed ? to - 1 : to) : lines.slice(from, to)
  const label = path === undefined ? {} : { path }
  return { language: 'diff', tag, text: `${body.join('\n')}\n`, ...label, closed, line: from + 1 }
}

function noticeOf(left: readonly Judged[]): { notice?: string } {
  if (left.length === 0) return {}
  const lines = left.slice(0, 10).map(({ block }) => block.line)
  const which = left.length === 1 ? 'one other code block was' : `${left.length} other code blocks were`
  return {
    notice: `Only the edits and the labelled files of the reply were used; ${which} not run (line ${lines.join(', ')}).`,
  }
}
