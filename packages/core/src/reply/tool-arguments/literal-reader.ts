// Reads JSON that was written by hand, or a literal of Python, where there is one way to read it. Pure; never evaluates.

import { type Dialect, ESCAPES, HEX_DIGITS, WORDS } from './literal-dialect.js'

/** A value and what was mended, or what is wrong and where. */
export type LiteralReading =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly problem: LiteralProblem }

/** What stands in the way of reading a text. */
export interface LiteralProblem {
  /** The middle of a sentence, such as `a comma or "}" is missing`. */
  readonly what: string
  /** 0-based position in the text. */
  readonly offset: number
  /** `cut`: the text ends too early; `more`: a whole value is followed by something else. */
  readonly sort: 'cut' | 'more' | 'wrong'
}

const LARGEST_DEPTH = 64
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[A-Za-z]\w*/y
const BLANKS = /[ \t\r\n]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in a string.
const PLAIN = /[^"'\\\u0000-\u001f]+/y
/**
 * Reads the whole of `text` as one value.
 *
 * Mended, and named in `repairs`: control characters within strings, a comma before a closing bracket and, when
 * `mayClose`, brackets missing at the very end after a string or a closed bracket. A key that comes twice is a problem.
 */
export function readLiteral(text: string, dialect: Dialect, mayClose: boolean): LiteralReading {
  const reader = new LiteralReader(text, dialect, mayClose)
  try {
    return { ok: true, value: reader.whole(), repairs: [...reader.repairs] }
  } catch (thrown) {
    if (thrown instanceof Unreadable) return { ok: false, problem: thrown.problem }
    throw thrown
  }
}

class Unreadable extends Error {
  readonly problem: LiteralProblem
  constructor(problem: LiteralProblem) {
    super(problem.what)
    this.problem = problem
  }
}

class LiteralReader {
  readonly repairs = new Set<string>()
  readonly #text: string
  readonly #dialect: Dialect
  readonly #mayClose: boolean
  #at = 0
  #depth = 0

  constructor(text: string, dialect: Dialect, mayClose: boolean) {
    this.#text = text
    this.#dialect = dialect
    this.#mayClose = mayClose
  }

  whole(): unknown {
    const value = this.#value()
    if (this.#next() !== undefined) this.#fail('there is text after the end of the value', { sort: 'more' })
    return value
  }

  #value(): unknown {
    const char = this.#next()
    if (char === '{') return this.#nested(() => this.#object())
    if (char === '[') return this.#nested(() => this.#array())
    if (this.#isQuote(char)) return this.#string()
    const number = this.#take(NUMBER)
    if (number !== '') return Number(number)
    const start = this.#at
    const word = this.#take(WORD)
    const words = WORDS[this.#dialect]
    if (words.has(word)) return words.get(word)
    return this.#fail('a value is missing or is not written as JSON', { offset: start })
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > LARGEST_DEPTH) this.#fail(`brackets are nested deeper than ${LARGEST_DEPTH}`)
    this.#at++
    const value = read()
    this.#depth--
    return value
  }

  #object(): unknown {
    const entries = new Map<string, unknown>()
    while (!this.#closes('}', entries.size > 0)) {
      if (!this.#isQuote(this.#next())) this.#fail('a key in quotes is missing')
      const start = this.#at
      const key = this.#string()
      if (entries.has(key))
        this.#fail(`the key ${JSON.stringify(key.slice(0, 40))} comes twice`, { offset: start })
      if (this.#next() !== ':') this.#fail('a colon is missing after the key')
      this.#at++
      entries.set(key, this.#value())
      if (this.#ends('}')) break
    }
    return Object.fromEntries(entries)
  }

  #array(): unknown {
    const items: unknown[] = []
    while (!this.#closes(']', items.length > 0)) {
      items.push(this.#value())
      if (this.#ends(']')) break
    }
    return items
  }

  /** True for a closing bracket where a further part could stand; behind a comma it is one comma too many. */
  #closes(bracket: string, afterComma: boolean): boolean {
    if (this.#next() !== bracket) return false
    this.#at++
    if (afterComma) this.repairs.add('trailing-comma-removed')
    return true
  }

  /** After a part: true at the end of its list, false after a comma. */
  #ends(bracket: string): boolean {
    const before = this.#text[this.#at - 1] ?? ''
    const char = this.#next()
    // A number or a word may go on where the text was cut; a string or a closed bracket cannot.
    if (char === undefined && this.#mayClose && /["'}\]]/.test(before)) {
      this.repairs.add('bracket-added')
      return true
    }
    if (char !== bracket && char !== ',') this.#fail(`a comma or "${bracket}" is missing`)
    this.#at++
    return char === bracket
  }

  #string(): string {
    const start = this.#at
    const quote = this.#text[this.#at++] ?? ''
    let value = ''
    for (;;) {
      value += this.#take(PLAIN)
      const char = this.#text[this.#at]
      if (char === undefined)
        this.#fail(`the text ends within the string that begins ${placeOf(this.#text, start)}`)
      if (char === '\\') {
        value += this.#escape()
        continue
      }
      this.#at++
      if (char === quote) return value
      if (char !== '"' && char !== "'") this.repairs.add('control-characters-escaped')
      value += char
    }
  }

  #escape(): string {
    const start = this.#at
    const letter = this.#text[start + 1]
    if (letter === undefined)
      this.#fail('the text ends within an escape', { offset: this.#text.length, sort: 'cut' })
    const plain = ESCAPES[this.#dialect].get(letter)
    if (plain !== undefined) {
      this.#at += 2
      return plain
    }
    const digits = HEX_DIGITS[this.#dialect].get(letter)
    const written = this.#text.slice(start + 2, start + 2 + (digits ?? 0))
    const code = /^[0-9a-fA-F]+$/.test(written) ? Number.parseInt(written, 16) : Number.NaN
    if (digits === undefined || written.length < digits || !(code <= 0x10ffff)) {
      if (digits !== undefined && start + 2 + digits > this.#text.length) this.#at = this.#text.length
      this.#fail(`the escape ${JSON.stringify(`\\${letter}`)} is not one of ${this.#dialect}`)
    }
    this.#at += 2 + digits
    return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)
  }

  #isQuote(char: string | undefined): boolean {
    if (char !== '"' && !(char === "'" && this.#dialect === 'python')) return false
    // Three quotes: whether backslashes in them are meant as such cannot be told.
    return !this.#text.startsWith(char.repeat(3), this.#at)
  }

  /** The next character that is no blank. */
  #next(): string | undefined {
    this.#take(BLANKS)
    return this.#text[this.#at]
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #fail(what: string, more: Partial<Pick<LiteralProblem, 'offset' | 'sort'>> = {}): never {
    const sort = this.#at >= this.#text.length ? 'cut' : 'wrong'
    throw new Unreadable({ what, offset: this.#at, sort, ...more })
  }
}

/** A position in words: `at line 2, column 5`. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `at line ${line}, column ${offset - before.lastIndexOf('\n')}`
}
