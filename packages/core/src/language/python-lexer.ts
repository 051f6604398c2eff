// What a parser that forgives would let through: strings, brackets and indentation of Python, read in one pass.

/** What {@link lexPython} found. */
export interface PythonLexing {
  /** The first fault of strings, brackets, characters or indentation; undefined when there is none. */
  readonly fault?: string
  /** The text with every string as `""`, without comments: same meaning to a grammar, nothing to stumble over. */
  readonly masked: string
  /** Comments up to there, each from its `#`. */
  readonly comments: readonly string[]
  /** Strings up to there, with their quotes and without what is before them; each is a `""` of `masked`. */
  readonly strings: readonly string[]
}

// Nothing here can match twice from different starts, so the whole text is read in linear time.
const TOKEN =
  /("""|'''|"|')|(#[^\n]*)|([([{])|([)\]}])|(\\\n|\n)|([ \t\f\-+*/%@&|^~<>=!:;,.\p{ID_Continue}]+|\\)|([\s\S])/gu

const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
// CPython: MAXLEVEL 200 and MAXINDENT 100 in Parser/tokenizer.c.
const BRACKETS_AT_MOST = 200
const INDENTS_AT_MOST = 100

/** The fault of a text that ends inside a triple-quoted string. */
export const OPEN_TEXT = 'unterminated triple-quoted string'

/** Reads `text` up to its end or to the first fault. */
export function lexPython(text: string): PythonLexing {
  const masked: string[] = []
  const comments: string[] = []
  const strings: string[] = []
  const brackets: string[] = []
  const layout = new Layout()
  const scan = new RegExp(TOKEN.source, TOKEN.flags)
  const fail = (fault: string): PythonLexing => ({
    fault,
    masked: masked.join(''),
    comments,
    strings,
  })
  for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
    const [token, quotes, comment, open, close, newline, run, other] = match
    if (quotes !== undefined) {
      const end = endOfString(text, scan.lastIndex, quotes)
      if (end === undefined) return fail(quotes.length === 3 ? OPEN_TEXT : 'unterminated string')
      strings.push(text.slice(scan.lastIndex - quotes.length, end))
      scan.lastIndex = end
      layout.read('"')
      masked.push('""')
      continue
    }
    if (comment !== undefined) {
      comments.push(comment)
      continue
    }
    if (other !== undefined) return fail(`character ${JSON.stringify(other)}`)
    if (open !== undefined && brackets.push(CLOSER[open] ?? '') > BRACKETS_AT_MOST)
      return fail('too many nested brackets')
    if (close !== undefined && brackets.pop() !== close) return fail(`unmatched ${close}`)
    if (newline === '\n' && brackets.length === 0) layout.endLine()
    else if (newline === undefined) layout.read(run ?? token)
    if (layout.fault !== undefined) return fail(layout.fault)
    masked.push(token)
  }
  if (brackets.length > 0) return fail(`missing ${brackets.at(-1)}`)
  layout.endLine()
  return layout.expectsBlock ? fail('missing block') : { masked: masked.join(''), comments, strings }
}

/** Index after the closing quotes, or undefined when they are missing. */
function endOfString(text: string, from: number, quotes: string): number | undefined {
  const scan = quotes.length === 3 ? /\\[\s\S]|"""|'''/g : /\\[\s\S]|["'\n]/g
  scan.lastIndex = from
  for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
    if (match[0] === quotes) return scan.lastIndex
    if (match[0] === '\n') return undefined
  }
  return undefined
}

/** Indentation of logical lines, as CPython's tokenizer keeps it. */
class Layout {
  fault: string | undefined
  #columns = [0]
  #column = 0
  #last = ''
  #blockOpened = false

  get expectsBlock(): boolean {
    return this.#blockOpened
  }

  /** A piece of the current line; white space counts where the line begins. */
  read(piece: string): void {
    const code = piece.trimEnd()
    if (this.#last === '') {
      const space = piece.length - piece.trimStart().length
      this.#indent(piece.slice(0, space))
      if (code !== '') this.#beginLine()
    }
    if (code !== '') this.#last = code.slice(-1)
  }

  endLine(): void {
    if (this.#last !== '') this.#blockOpened = this.#last === ':'
    this.#last = ''
    this.#column = 0
  }

  #indent(space: string): void {
    for (const character of space) {
      if (character === '\t') this.#column += 8 - (this.#column % 8)
      else this.#column = character === ' ' ? this.#column + 1 : 0
    }
  }

  #beginLine(): void {
    const top = this.#columns.at(-1) ?? 0
    if (this.#column > top) {
      if (!this.#blockOpened) this.fault = 'unexpected indent'
      this.#columns.push(this.#column)
      if (this.#columns.length > INDENTS_AT_MOST) this.fault = 'too many levels of indentation'
      return
    }
    if (this.#blockOpened) this.fault = 'expected an indented block'
    while (this.#column < (this.#columns.at(-1) ?? 0)) this.#columns.pop()
    if (this.#column !== (this.#columns.at(-1) ?? 0)) this.fault = 'unindent matches no outer level'
  }
}
