// Programs of languages with the comments of C, without them and without their layout.

/** What a text of such a language can begin with besides a comment. */
export interface TextSyntax {
  /** What opens a string, and closes it. */
  readonly quotes: string
  /** A slash may begin a regular expression. */
  readonly hasPatterns: boolean
}

const BEFORE_PATTERN =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))[ \t]*$/u
/** Enough to see what a slash follows. */
const LOOK_BACK = 16

/** One space for each run of blanks, one line break for each run with some; comments are blanks, strings stay. */
export function normalisedText(text: string, { quotes, hasPatterns }: TextSyntax): string {
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
    } else if (
      quotes.includes(character) ||
      (hasPatterns && character === '/' && BEFORE_PATTERN.test(last))
    ) {
      const end = character === '/' ? endOfPattern(text, at) : endOfString(text, at)
      keep(text.slice(at, end))
      at = end
    } else {
      keep(character)
      at++
    }
  }
  return tightened(kept)
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
    else if (text[index] === '\n' && quote !== '`') return index
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
