// Programs of languages with the comments of C, without them and without their layout.

/** What a text of such a language can begin with besides a comment. */
export interface TextSyntax {
  /** What opens a string of one line, and closes it. */
  readonly quotes: string
  /** Backticks open templates, which hold code in `${}`. */
  readonly template?: boolean
  /** Backticks open strings in which a backslash is one. */
  readonly hasRaw?: boolean
  /** Three quotes open a string of several lines. */
  readonly hasTextBlocks?: boolean
  /** A slash may begin a regular expression. */
  readonly hasPatterns?: boolean
}

const BEFORE_PATTERN =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))[ \t]*$/u
/** Enough to see what a slash follows. */
const LOOK_BACK = 16

/** One space for each run of blanks, one line break for each run with some; comments are blanks, strings stay. */
export function normalisedText(text: string, syntax: TextSyntax): string {
  const kept: string[] = []
  let last = ''
  const keep = (piece: string): void => {
    kept.push(piece)
    last = (last + piece).slice(-LOOK_BACK)
  }
  const blank = (hasBreak: boolean): void => {
    if (last === '') return
    if (hasBreak && !last.endsWith('\n')) {
      if (kept.at(-1) === ' ') kept.pop()
      keep('\n')
    } else if (!hasBreak && !/\s$/u.test(last)) keep(' ')
  }
  let at = 0
  while (at < text.length) {
    const character = text[at] ?? ''
    const next = text[at + 1]
    if (/\s/u.test(character)) {
      const end = endOf(/\S|$/gu, text, at)
      blank(text.slice(at, end).includes('\n'))
      at = end
    } else if (character === '/' && (next === '/' || next === '*')) {
      const end = next === '/' ? endOf(/\n|$/gu, text, at) : endOfBlock(text, at)
      blank(text.slice(at, end).includes('\n'))
      at = end
    } else {
      const end = endOfLiteral(text, at, syntax, last)
      keep(text.slice(at, end))
      at = end
    }
  }
  return tightened(kept)
}

/** Index after the string or the pattern that begins at `at`, or after the one character. */
function endOfLiteral(
  text: string,
  at: number,
  { quotes, template, hasRaw, hasTextBlocks, hasPatterns }: TextSyntax,
  before: string,
): number {
  const character = text[at] ?? ''
  if (character === '`' && template) return endOfTemplate(text, at)
  if (character === '`' && hasRaw) return endOf(/`|$/gu, text, at + 1) + 1
  if (hasTextBlocks && text.startsWith('"""', at)) return endOf(/(?<!\\)"""|$/gu, text, at + 3) + 3
  if (quotes.includes(character)) return endOfString(text, at)
  if (hasPatterns && character === '/' && BEFORE_PATTERN.test(before)) return endOfPattern(text, at)
  return at + 1
}

/** Templates may hold code that holds templates. */
function endOfTemplate(text: string, at: number): number {
  // The braces that are open in each of the templates that are.
  const open = [0]
  let isText = true
  for (let index = at + 1; index < text.length; index++) {
    const character = text[index]
    if (isText) {
      if (character === '\\') index++
      else if (character === '`') {
        open.pop()
        if (open.length === 0) return index + 1
        isText = false
      } else if (character === '$' && text[index + 1] === '{') {
        index++
        isText = false
      }
    } else if (character === '`') {
      open.push(0)
      isText = true
    } else if (character === '"' || character === "'") index = endOfString(text, index) - 1
    else if (character === '{') open.push((open.pop() ?? 0) + 1)
    else if (character === '}') {
      const depth = open.pop() ?? 0
      isText = depth === 0
      open.push(Math.max(0, depth - 1))
    }
  }
  return text.length
}
/** Blanks say something between two words, and between two operators: `a + +b` is not `a ++b`. */
function tightened(kept: readonly string[]): string {
  const says = (index: number): boolean => {
    const [before, after] = [kindOf(kept[index - 1]), kindOf(kept[index + 1])]
    return before === after && before !== 'bracket'
  }
  return kept
    .filter((piece, index) => piece !== ' ' || says(index))
    .join('')
    .trim()
}

function kindOf(piece = ''): 'bracket' | 'operator' | 'word' {
  if (/^[()[\]{},;\n]?$/u.test(piece)) return 'bracket'
  return /^[^\w\s$'"`]$/u.test(piece) ? 'operator' : 'word'
}

/** Index of the first match from `at` on. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.index ?? text.length
}

function endOfBlock(text: string, at: number): number {
  const close = text.indexOf('*/', at + 2)
  return close === -1 ? text.length : close + 2
}

function endOfString(text: string, at: number): number {
  const quote = text[at]
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === quote) return index + 1
    else if (text[index] === '\n') return index
  }
  return text.length
}

function endOfPattern(text: string, at: number): number {
  let inClass = false
  for (let index = at + 1; index < text.length; index++) {
    const character = text[index]
    if (character === '\\') index++
    else if (character === '\n') return index
    else if (character === '[') inClass = true
    else if (character === ']') inClass = false
    else if (character === '/' && !inClass) return index + 1
  }
  return text.length
}

/** Lines without the blanks at their ends. */
export const withoutEnds = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
