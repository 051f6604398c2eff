// Blocks between the tags that models were trained to answer in, unless the program of the reply stands in a fence beside them.
import { runsAs } from '../contract/language-names.js'
import { outlineOf } from '../language/outline.js'
import { parses } from '../language/parses.js'
import { isBegunAgain } from './begun-again.js'
import { FenceScanner, type RawBlock } from './fences.js'
import { lookOf } from './look-of.js'
import { scanTags } from './tags.js'
import type { WorkBudget } from './work-budget.js'

type Pair = readonly [open: string, close: string]

/** A pair as a reply writes it. */
interface Written {
  readonly pair: Pair
  /** True for the final answer. */
  readonly isFinal: boolean
}

const SOLUTION: Pair = ['<solution>', '</solution>']
/** Code that is only tried, while there is no final answer. */
const EXECUTE: Pair = ['<execute>', '</execute>']

/** Languages in which such a pair may be code. */
const OF_TAGS = new Set(['html', 'xml', 'jsx', 'tsx', 'markdown', 'php', 'svg', 'vue'])
const BEGINS_WITH_TAG = /^\s*<(?:solution|execute)>/iu
const ANY_FENCE = /^[ \t>]*(?:`{3}|~{3})/mu

/**
 * The blocks of the pair that the answer uses, the one for the final answer first; none where fences count.
 *
 * What a model gives as its final answer is that, though it be words. Beside code that was only tried, fences count when
 * they hold a program of the language and no tagged block does, or when one of them comes after all that was tried and
 * stands without it. An answer that breaks off while it repeats what stood whole before it gives way to that.
 */
export function usualBlocks(answer: string, language: string, budget: WorkBudget): RawBlock[] {
  const written = pairIn(answer, language)
  if (written === undefined) return []
  const { pair } = written
  const { blocks, rest, openAt } = scanTags(answer, pair, language, budget)
  const last = blocks.at(-1)
  if (last !== undefined && openAt !== undefined && !last.closed) {
    const before = blocksOf(answer.slice(0, openAt), language, budget)
    if (isBegunAgain(last.text, textsOf(before), language)) return before.map(insteadOfCut)
  }
  if (written.isFinal || !ANY_FENCE.test(rest)) return blocks
  const beside = new FenceScanner(rest, language, budget).scan()
  const programs = beside.filter((one) => isFencedProgram(one, language))
  const later = programs.filter(({ line }) => line > (last?.line ?? -1))
  const isFinal = later.length > 0 && standAlone(later, blocks, language)
  const isInTags = blocks.some((one) => isTaggedProgram(one, pair, language))
  return programs.length > 0 && (isFinal || !isInTags) ? beside : blocks
}

/** What the tags enclose that a fence was put round; else the block itself. */
export function insideTags(block: RawBlock, language: string, budget: WorkBudget): RawBlock[] {
  if (!BEGINS_WITH_TAG.test(block.text)) return [block]
  const inner = usualBlocks(block.text, language, budget).map((one) => ({
    ...one,
    info: block.info,
    tag: block.tag,
    line: block.line + 1 + one.line,
    warnings: [...block.warnings, ...one.warnings, 'fence-round-tags'],
  }))
  return inner.length > 0 ? inner : [block]
}

/** Blocks between tags, or else between fences. */
function blocksOf(answer: string, language: string, budget: WorkBudget): RawBlock[] {
  const tagged = usualBlocks(answer, language, budget)
  return tagged.length > 0 ? tagged : new FenceScanner(answer, language, budget).scan()
}

const textsOf = (blocks: readonly RawBlock[]): string[] =>
  blocks.filter(({ closed }) => closed).map(({ text }) => text)

const insteadOfCut = (block: RawBlock): RawBlock => ({
  ...block,
  warnings: [...block.warnings, 'cut-answer-left-out'],
})

/** The pair whose opener begins a line and stands out of fences, as the reply writes it. */
function pairIn(answer: string, language: string): Written | undefined {
  if (OF_TAGS.has(language)) return undefined
  for (const [open, close] of [SOLUTION, EXECUTE]) {
    const found = new RegExp(`^[ \\t]*(${open})`, 'imu').exec(answer)
    const before = answer.slice(0, found?.index ?? 0)
    if (found === null || (before.match(/^[ \t]*(?:`{3}|~{3})/gmu)?.length ?? 0) % 2 !== 0) continue
    const closer = new RegExp(close, 'iu').exec(answer.slice(found.index))?.[0] ?? close
    return { pair: [found[1] ?? open, closer], isFinal: open === SOLUTION[0] }
  }
  return undefined
}

/** True when one of the programs is more than a call of what tagged blocks define. */
function standAlone(programs: readonly RawBlock[], tagged: readonly RawBlock[], language: string): boolean {
  const defined = new Set(tagged.flatMap(({ text }) => [...(outlineOf(text, language)?.defines ?? [])]))
  return programs.some(
    ({ text }) => ![...(outlineOf(text, language)?.needs ?? [])].some((name) => defined.has(name)),
  )
}

/** In the tags a fence says that its text is code. */
function isTaggedProgram(block: RawBlock, [open]: Pair, language: string): boolean {
  if (block.text.trim() === '') return false
  return block.tag === open ? isProgram(block.text, language) : isFenced(block, language)
}

/** Beside the tags it may also be an example, a transcript or a part that is broken. */
const isFencedProgram = (block: RawBlock, language: string): boolean =>
  block.text.trim() !== '' && isFenced(block, language) && parses(block.text, language) !== false

const isFenced = ({ info, text }: RawBlock, language: string): boolean =>
  info.language === undefined ? isProgram(text, language) : runsAs(info.language, language)

function isProgram(text: string, language: string): boolean {
  const look = lookOf(text, language)
  return look !== undefined && runsAs(look, language) && parses(text, language) !== false
}
