// Decides what one block really is: its tag is a claim, its text the evidence.
import { languageOfPath, runsAs } from '../contract/language-names.js'
import { isOnlyShell, isSurelyShell, looksLike } from '../language/looks-like.js'
import { isDiff } from '../language/looks-like-diff.js'
import { outlineOf } from '../language/outline.js'
import { parses } from '../language/parses.js'
import type { Outline } from '../language/python-outline.js'
import type { FoundBlock } from './blocks.js'
import type { CodeBlock } from './extraction.js'
import { lookOf } from './look-of.js'
import { mend } from './mend.js'

/** A block with the evidence. */
export interface Judged {
  readonly block: CodeBlock
  readonly pathFrom: FoundBlock['pathFrom']
  /** The line of prose that introduces it. */
  readonly intro: string
  /** Language it is in, `prose`, `console`, `text` when nothing speaks for one, or `empty`. */
  readonly is: string
  /** How it came to be taken for the asked language: by its tag, by its look, or against its tag. */
  readonly by: 'tag' | 'look' | 'look-against-tag'
  /** Its text, repaired where that was needed. */
  readonly code: string
  readonly parses: boolean | undefined
  readonly outline: Outline | undefined
  readonly warnings: readonly string[]
}

// A text that is really another language or none, whatever its tag says.
const TELLING_LOOKS = new Set([
  'shell',
  'console',
  'json',
  'html',
  'xml',
  'diff',
  'sql',
  'javascript',
  'typescript',
  'c',
  'java',
  'go',
  'rust',
])

/** Languages whose lines may read like assignments. */
const SETTINGS = new Set(['ini', 'toml', 'yaml', 'text', 'makefile'])

/** Judges a block as a program in `asked`. */
export function judge(found: FoundBlock, asked: string, entryPoint: string | undefined): Judged {
  const { block, pathFrom, intro } = found
  const claim = block.language === 'text' ? undefined : (block.language ?? languageOfPath(block.path ?? ''))
  const other = {
    ...found,
    pathFrom,
    by: 'tag',
    code: block.text,
    parses: undefined,
    outline: undefined,
  } as const
  if (block.text.trim() === '') return { ...other, is: 'empty' }
  const claimed = claim !== undefined && runsAs(claim, asked)
  // A block that says it is something else is not touched, so that entities in HTML, JSX and Markdown stay.
  const { code, warnings } =
    claim === undefined || claim === asked || claimed
      ? keepEntryPoint(block.text, mend(block.text, claim ?? asked), entryPoint)
      : { code: block.text, warnings: [] }
  // Prompts with nothing behind them, for one.
  if (code.trim() === '') return { ...other, is: 'empty' }
  const whole = parses(code, asked)
  const is = isDiff(block.text, asked)
    ? 'diff'
    : claimed
      ? tested(code, claim, asked, whole)
      : guessed(code, claim, asked, whole)
  if (is !== asked) return { ...other, is }
  const by = claimed ? 'tag' : claim === undefined ? 'look' : 'look-against-tag'
  const all = [...found.warnings, ...warnings, ...(by === 'look-against-tag' ? ['language-mistagged'] : [])]
  return {
    block,
    pathFrom,
    intro,
    is,
    by,
    code,
    parses: whole,
    outline: outlineOf(code, asked),
    warnings: all,
  }
}

/** No repair may lose the function that was asked for. */
function keepEntryPoint(
  text: string,
  mended: ReturnType<typeof mend>,
  entryPoint: string | undefined,
): { code: string; warnings: readonly string[] } {
  const lost = entryPoint !== undefined && text.includes(entryPoint) && !mended.text.includes(entryPoint)
  return lost ? { code: text, warnings: [] } : { code: mended.text, warnings: mended.warnings }
}

/** What a block is that claims to be in the asked language. */
function tested(code: string, claim: string, asked: string, whole: boolean | undefined): string {
  if (asked === 'python') {
    // `LIMIT=5` is an assignment in both; the tag decides.
    const isSure = isSurelyShell(code, whole === true)
    if (isSure && isOnlyShell(code)) return 'shell'
    if (whole === true) return asked
    const look = looksLike(code)
    return look !== undefined && TELLING_LOOKS.has(look) && (look !== 'shell' || isSure) ? look : asked
  }
  if (asked !== 'shell' && isOnlyShell(code)) return 'shell'
  const look = looksLike(code)
  if (
    look === 'console' ||
    (look === 'python' && !SETTINGS.has(asked) && parses(code, 'python') === true && !runsAs(claim, 'python'))
  )
    return look
  return asked
}

/** What a block is that has no tag, or one of another language. */
function guessed(code: string, claim: string | undefined, asked: string, whole: boolean | undefined): string {
  const look = lookOf(code, asked)
  if (asked === 'python') {
    const runs = whole === true && !isOnlyShell(code) && outlineOf(code, asked)?.acts === true
    if (claim !== undefined) return runs && look === 'python' && claim !== 'console' ? asked : claim
    if (runs && (look === 'python' || look === undefined)) return asked
    return look ?? 'text'
  }
  if (look !== undefined && runsAs(look, asked))
    return claim === undefined || isOverruled(claim) ? asked : claim
  return claim ?? look ?? 'text'
}

/** Tags that are put on anything. */
const isOverruled = (claim: string): boolean =>
  claim === 'console' || claim === 'markdown' || claim === 'python'
