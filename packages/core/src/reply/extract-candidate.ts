// A model's reply in, a program out; or a sentence that says why there is none. Pure, and never throws on any text.
import { languageId, runsAs } from '../contract/language-names.js'
import type { ModelReply } from '../contract/model.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import { knownLanguage } from '../language/languages.js'
import { type Assembled, assemble } from './assemble.js'
import { type FoundBlock, findBlocks, indentedBlocks, wholeAnswer } from './blocks.js'
import { type EditedProgram, editedCandidate, withoutFiles } from './edits/edited-candidate.js'
import { type Extraction, type ExtractOptions, extractOptionsSchema } from './extraction.js'
import { type Judged, judge } from './judge.js'
import { lookOf } from './look-of.js'
import { cutOff, type NoCandidate, noCode } from './no-candidate.js'
import { type SplitReply, splitReasoning } from './reasoning.js'
import { type ExtractContext, selectBlocks } from './select.js'
import { withoutStopMarkers } from './stop-markers.js'
import { programInCalls } from './tool-arguments/program-in-calls.js'
import { WorkBudget } from './work-budget.js'

/** The parts of a reply that are read. */
type ReadReply = Pick<ModelReply, 'text' | 'finish' | 'reasoning'> & Partial<Pick<ModelReply, 'toolCalls'>>

/**
 * Finds the program in a reply: fenced blocks by the rules of CommonMark, or blocks between `tags`.
 *
 * Where tool calls hold a program, they win: each file of theirs is one of the program's, and blocks in the text beside
 * them are listed and never run. A call that cannot be read is a failure, also where the text holds code.
 *
 * A reply with edits (search/replace blocks, patches: see {@link extractEdits}) gives the `files` of the options with all
 * of them made, beside the files it sends whole; when one cannot be made, the reply is refused with a failure of kind `edit`.
 *
 * The reply's thoughts are set apart and never used. Code is taken as it is, with LF line ends; a repair (HTML entities,
 * no-break spaces, prompts, …) is made only when the code does not parse as received and does afterwards, and is named in
 * `warnings`. Text that is prose, console output or in another language is never handed on as a program.
 *
 * @param reply - a reply, or its text alone, which then counts as one that ended normally
 * @throws MendloopError INVALID_OPTION for options that do not fit or a reply without a text; never because of what a reply says
 * @example
 * ```ts
 * const found = extractCandidate(reply, { language: 'python' })
 * if (found.status === 'ok') run(found.candidate)
 * else tell(found.failure.message)
 * ```
 */
export function extractCandidate(
  reply:
    | string
    | (Pick<ModelReply, 'text' | 'finish' | 'reasoning'> & Partial<Pick<ModelReply, 'toolCalls'>>),
  options: ExtractOptions,
): Extraction {
  const parsed = parseOptions(extractOptionsSchema, options, 'extractCandidate()')
  const language = languageId(parsed.language) ?? parsed.language
  if (typeof reply !== 'string' && typeof (reply as { text?: unknown } | undefined)?.text !== 'string')
    throw invalidOption('extractCandidate()', 'reply', 'must be a text or a reply of a model with a text', {
      expected: 'a string or an object with a text',
      received: reply === null ? 'null' : typeof reply,
    })
  const whole = typeof reply === 'string' ? { ...PLAIN, text: reply } : reply
  const { text, finish, reasoning: apart } = whole
  const cut = finish === 'length' || finish === 'filter'
  const context = { language, options: parsed, cut }
  const split = splitReasoning(text.replace(/^\ufeff/, '').replace(/\r\r\n|\r\n|\r/g, '\n'))
  const answer = withoutStopMarkers(split.answer, language)
  const found = blocksOf(answer, context, text.length)
  const judged = found.map((one) => judge(one, language, parsed.entryPoint))
  const called = programInCalls(whole.toolCalls, context, found.length > 0)
  const shared = {
    blocks: [...(called?.blocks ?? []), ...found.map(({ block }) => block)],
    reasoning: [typeof apart === 'string' ? apart.trim() : '', split.reasoning]
      .filter((part) => part !== '')
      .join('\n\n'),
  }
  const odd = [
    ...(split.open ? ['reasoning-unclosed'] : []),
    ...(answer === split.answer ? [] : ['stop-marker-removed']),
    ...found.flatMap(({ warnings }) => warnings.filter(isPathRefusal)),
  ]
  const edited = called === undefined ? editedCandidate(answer, context) : undefined
  if (edited !== undefined && 'files' in edited) return withEdits(edited, language, shared.reasoning, odd)
  const inText = (): Assembled | NoCandidate => {
    if (edited?.isFinal) return edited.none
    const plain = found.length === 0 ? withoutBlocks({ ...split, answer }, context) : choose(judged, context)
    return 'reason' in plain && edited !== undefined ? withoutFiles(plain, edited) : plain
  }
  const result = called?.result ?? inText()
  if ('reason' in result) {
    const reason = result.reason === 'omission-placeholder' ? [result.reason] : []
    return { ...result, ...shared, codes: [], notRun: shared.blocks, warnings: distinct([...odd, ...reason]) }
  }
  const { files, entry, code, used } = result
  const run = new Set(used.map(({ block }) => block))
  const notRun = shared.blocks.filter((block) => !run.has(block))
  const left = called ? [] : judged.filter(({ is, block }) => isRunnable(is, language) && !run.has(block))
  const notice = left.length === 0 ? called?.notice : noticeOf(used, left)
  return {
    ...shared,
    status: 'ok',
    candidate: { files, entry },
    code,
    language,
    codes: used.map((one) => one.code),
    notRun,
    ...(notice === undefined ? {} : { notice }),
    warnings: distinct([...odd, ...result.warnings]),
  }
}

function withEdits(
  { files, entry, deleted, warnings, ...rest }: EditedProgram,
  language: string,
  reasoning: string,
  odd: readonly string[],
): Extraction {
  const gone = deleted.length === 0 ? {} : { deleted }
  const candidate = { files, entry }
  return {
    ...rest,
    ...gone,
    status: 'ok',
    candidate,
    language,
    reasoning,
    warnings: distinct([...odd, ...warnings]),
  }
}

const PLAIN: Pick<ReadReply, 'finish' | 'reasoning' | 'toolCalls'> = { finish: 'stop' }
const isPathRefusal = (warning: string): boolean => warning === 'path-refused'
const distinct = (warnings: readonly string[]): readonly string[] => [...new Set(warnings)]

function choose(judged: readonly Judged[], context: ExtractContext): Assembled | NoCandidate {
  const selection = selectBlocks(judged, context)
  return 'reason' in selection ? selection : assemble(selection, context)
}

/** Fenced blocks; without any, the whole answer or its indented parts when they are plainly code. */
function blocksOf(
  answer: string,
  { language, options, cut }: ExtractContext,
  length: number,
): readonly FoundBlock[] {
  const blocks = findBlocks(answer, language, options, new WorkBudget(length))
  if (blocks.length > 0 || answer.trim() === '') return blocks
  const whole = wholeAnswer(answer, !cut)
  return isPlainly(judge(whole, language, options.entryPoint), language)
    ? [whole]
    : indentedBlocks(answer, language)
}

/** True for text that parses and also looks like the language, since a word or a number parses too. */
function isPlainly({ is, parses, code, outline }: Judged, language: string): boolean {
  if (is !== language || parses === false) return false
  const look = lookOf(code, language)
  if (look === undefined) return parses === true && (outline?.defines.size ?? 0) > 0
  return runsAs(look, language)
}

function withoutBlocks(
  { answer, reasoning, open }: SplitReply,
  { language, cut }: ExtractContext,
): NoCandidate {
  if (cut) return cutOff('reply-cut', language, undefined)
  if (answer.trim() === '') return noCode(reasoning !== '' || open ? 'reasoning-only' : 'no-block', language)
  return noCode('prose', language)
}

/** Programs, in whatever language; not what one prints, reads or is told in. */
const isRunnable = (is: string, language: string): boolean =>
  is === language || knownLanguage(is) !== undefined

function noticeOf(used: readonly Judged[], left: readonly Judged[]): string {
  const lines = used.map(({ block }) => block.line).join(', ')
  const counts = [...new Set(left.map(({ is }) => is))].map((is) => {
    const count = left.filter((one) => one.is === is).length
    return count === 1 ? `one ${is} block` : `${count} ${is} blocks`
  })
  const count = `${counts.join(' and ')} ${left.length === 1 ? 'was' : 'were'}`
  return `Only the code at line ${lines} of the reply was used; ${count} not run (line ${left
    .slice(0, 10)
    .map(({ block }) => block.line)
    .join(', ')}).`
}
