// Blocks between the tags that models were trained to answer in, unless the program of the reply stands in a fence beside them.
import { runsAs } from '../contract/language-names.js'
import { looksLike } from '../language/looks-like.js'
import { outlineOf } from '../language/outline.js'
import { parses } from '../language/parses.js'
import { FenceScanner, type RawBlock } from './fences.js'
import { scanTags } from './tags.js'
import type { WorkBudget } from './work-budget.js'

type Pair = readonly [open: string, close: string]

const SOLUTION: Pair = ['<solution>', '</solution>']
/** Code that is only tried, while there is no final answer. */
const EXECUTE: Pair = ['<execute>', '</execute>']
/** Languages in which such a pair may be code. */
const OF_TAGS = new Set(['html', 'xml', 'jsx', 'tsx', 'markdown', 'php', 'svg', 'vue'])
const ANY_FENCE = /^[ \t>]*(?:`{3}|~{3})/mu

/**
 * The blocks of the pair that the answer uses, the one for the final answer first; none where fences count.
 *
 * What a model gives as its final answer is that, though it be words. Beside code that was only tried, fences count when
 * they hold a program of the language and no tagged block does, or when one of them comes after all that was tried and
 * stands without it.
 */
export function usualBlocks(answer: string, language: string, budget: WorkBudget): RawBlock[] {
  const pair = pairIn(answer, language)
  if (pair === undefined) return []
  const { blocks, rest } = scanTags(answer, pair, language, budget)
  if (pair === SOLUTION || !ANY_FENCE.test(rest)) return blocks
  const beside = new FenceScanner(rest, language, budget).scan()
  const programs = beside.filter((one) => isFencedProgram(one, language))
  const last = blocks.at(-1)?.line ?? -1
  const later = programs.filter(({ line }) => line > last)
  const isFinal = later.length > 0 && standAlone(later, blocks, language)
  const isInTags = blocks.some((one) => isTaggedProgram(one, pair, language))
  return programs.length > 0 && (isFinal || !isInTags) ? beside : blocks
}

/** The pair whose opener has a line to itself and stands out of fences. */
function pairIn(answer: string, language: string): Pair | undefined {
  if (OF_TAGS.has(language)) return undefined
  return [SOLUTION, EXECUTE].find(([open]) => {
    const at = new RegExp(`^[ \\t]*${open}`, 'mu').exec(answer)?.index ?? -1
    return at !== -1 && (answer.slice(0, at).match(/^[ \t]*(?:`{3}|~{3})/gmu)?.length ?? 0) % 2 === 0
  })
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
  const look = looksLike(text)
  return look !== undefined && runsAs(look, language) && parses(text, language) !== false
}
