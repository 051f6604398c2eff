// From the answer's text to its blocks, each with the path the reply gives to it.
import { looksLike } from '../language/looks-like.js'
import type { CodeBlock, ExtractOptions } from './extraction.js'
import { FenceScanner, type RawBlock } from './fences.js'
import { parseInfo } from './info-string.js'
import { fitsLanguage, labelInComment, labelInLine, safePath } from './path-label.js'
import { scanTags } from './tags.js'
import { insideTags, usualBlocks } from './usual-tags.js'
import type { WorkBudget } from './work-budget.js'

/** A block with what was odd about its marks. */
export interface FoundBlock {
  readonly block: CodeBlock
  readonly warnings: readonly string[]
  /** The prose right before it, a few lines at most. */
  readonly intro: string
  /** Where the path comes from; a comment in the code is only a wish. */
  readonly pathFrom?: 'label' | 'comment'
}

/** Every block of `answer`, in order. */
export function findBlocks(
  answer: string,
  language: string,
  options: ExtractOptions,
  budget: WorkBudget,
): FoundBlock[] {
  const { tags } = options
  const marked =
    tags === undefined
      ? usualBlocks(answer, language, budget)
      : scanTags(answer, tags, language, budget).blocks
  const scanned = marked.length > 0 ? marked : new FenceScanner(answer, language, budget).scan()
  const fenced = tags === undefined ? scanned.flatMap((one) => insideTags(one, language, budget)) : scanned
  // An opener behind a word is none to CommonMark; its closer then seems to open a block that never ends.
  const inline = fenced.every(({ tag, closed }) => tag === '' && !closed) ? inlineBlocks(answer) : []
  const lines = answer.split('\n')
  const found = (inline.length > 0 ? inline : fenced).map((one) => withPath(one, lines))
  return found.some(({ block }) => block.language === language)
    ? found
    : openDocuments(found, language, budget)
}

/** A reply that is wrapped in a Markdown fence: its blocks are those of the document, unless that is a file itself. */
function openDocuments(found: FoundBlock[], language: string, budget: WorkBudget): FoundBlock[] {
  return found.flatMap((one) => {
    const { block } = one
    if (block.language !== 'markdown' || language === 'markdown' || block.path !== undefined) return [one]
    const inner = new FenceScanner(block.text, language, budget).scan()
    const lines = block.text.split('\n')
    const moved = inner
      .map((raw) => withPath(raw, lines))
      .map((each) => ({
        ...each,
        block: { ...each.block, line: each.block.line + block.line },
        warnings: [...each.warnings, 'fence-nested'],
      }))
    return moved.length > 0 ? moved : [one]
  })
}

function withPath(
  { info, tag, text, closed, line, warnings }: RawBlock,
  lines: readonly string[],
): FoundBlock {
  const block = {
    ...(info.language === undefined ? {} : { language: info.language }),
    tag,
    text: text.replace(/^\ufeff/, ''),
    closed,
    line: line + 1,
  }
  const above = (lines[line - 1] ?? '').trim() === '' ? lines[line - 2] : lines[line - 1]
  const intro = introOf(lines, line)
  const label = info.path ?? labelInLine(above ?? '', info.language)
  const written = label ?? labelInComment(text)
  if (written === undefined || !fitsLanguage(written, info.language)) return { block, warnings, intro }
  const path = safePath(written)
  if (path === undefined) return { block, intro, warnings: [...warnings, 'path-refused'] }
  return { block: { ...block, path }, intro, warnings, pathFrom: label === undefined ? 'comment' : 'label' }
}

const INTRO_LINES = 10

/** What stands between the block before and this one. */
function introOf(lines: readonly string[], opener: number): string {
  let start = opener
  while (start > Math.max(0, opener - INTRO_LINES) && !/^[\s>]*(?:`{3}|~{3})/.test(lines[start - 1] ?? ''))
    start -= 1
  return lines
    .slice(start, opener)
    .map((line) => line.slice(0, 300))
    .join('\n')
}

/** Triple backticks within a line of prose: no fences to CommonMark, but meant as such. Only when there are no others. */
function inlineBlocks(answer: string): RawBlock[] {
  const blocks: RawBlock[] = []
  let line = 0
  let counted = 0
  for (const match of answer.matchAll(/```([^`]+)(```|$)/g)) {
    const [, tag = '', code = ''] =
      /^([\w+#.-]*)[ \t]*(?:\n|(?<=\w)[ \t]+)?([\s\S]*)$/.exec(match[1] ?? '') ?? []
    line += answer.slice(counted, match.index).split('\n').length - 1
    counted = match.index
    const isTag = /^(?:py|python\d?|js|javascript|ts|typescript|sh|bash|shell|json|sql)$/i.test(tag)
    const text = `${(isTag ? code : (match[1] ?? '')).trim()}\n`
    const closed = match[2] !== ''
    const found = { info: isTag ? parseInfo(tag) : {}, tag: isTag ? tag : '', text, closed, line }
    // Three backticks that nothing follows up are no code.
    if (closed || isTag) blocks.push({ ...found, warnings: ['fence-inline'] })
  }
  return blocks
}

/** Indented code (CommonMark 4.4) that looks like the asked language. For replies without fences. */
export function indentedBlocks(answer: string, language: string): FoundBlock[] {
  const blocks: FoundBlock[] = []
  const lines = answer.split('\n')
  const prose = lines.filter((line) => /^\S/.test(line)).join('\n')
  if (prose === '' || looksLike(prose) === language) return []
  let start = -1
  for (let index = 0; index <= lines.length; index++) {
    const line = lines[index]
    const isCode = line !== undefined && /^(?: {4}|\t)/.test(line)
    if (isCode && start === -1 && (lines[index - 1] ?? '').trim() === '') start = index
    if (isCode || start === -1 || (line !== undefined && line.trim() === '')) continue
    const code = lines.slice(start, index).map((one) => one.replace(/^(?: {4}|\t)/, ''))
    const text = `${code.join('\n').trimEnd()}\n`
    if (looksLike(text) === language)
      blocks.push({
        block: { tag: '', text, closed: true, line: start + 1 },
        warnings: ['fence-missing'],
        intro: introOf(lines, start),
      })
    start = -1
  }
  return blocks
}

/** The whole answer as one block, for a reply that is plainly code and nothing else. */
export function wholeAnswer(answer: string, closed: boolean): FoundBlock {
  const text = `${answer.replace(/^\s*\n/, '').trimEnd()}\n`
  return { block: { tag: '', text, closed, line: 1 }, warnings: ['fence-missing'], intro: '' }
}
