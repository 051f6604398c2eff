// A small strict reader of XML: elements, attributes and text. No document types, so no entities but the five and numbers.

/** Called as the text is read, in order. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text(content: string): void
  close(name: string): void
}

const DEEPEST = 100
const MOST_ATTRIBUTES = 200
const NAME = /[A-Za-z_][\w.:-]{0,200}/y
const SPACE = /[\t\n\r ]*/y
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** What is wrong with a text that is no XML. */
class XmlProblem extends Error {}

/**
 * Reads the whole of `text`.
 *
 * @returns what is wrong, undefined when nothing is; the handler has then seen every element closed. What the handler
 * throws is passed on
 */
export function readXml(text: string, handler: XmlHandler): string | undefined {
  try {
    new XmlReader(text.replace(/^\ufeff/u, ''), handler).read()
    return undefined
  } catch (error) {
    if (error instanceof XmlProblem) return error.message
    throw error
  }
}

class XmlReader {
  readonly #text: string
  readonly #handler: XmlHandler
  readonly #open: string[] = []
  #at = 0
  #rootSeen = false

  constructor(text: string, handler: XmlHandler) {
    this.#text = text
    this.#handler = handler
  }

  read(): void {
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf('<', this.#at)
      this.#textUpTo(next === -1 ? this.#text.length : next)
      if (next !== -1) this.#markup()
    }
    const left = this.#open.at(-1)
    if (left !== undefined) throw new XmlProblem(`it ends within <${left}>`)
    if (!this.#rootSeen) throw new XmlProblem('it holds no element')
  }

  #textUpTo(end: number): void {
    if (end === this.#at) return
    const raw = this.#text.slice(this.#at, end)
    this.#at = end
    if (this.#open.length > 0) this.#handler.text(this.#decoded(raw))
    else if (raw.trim() !== '') throw new XmlProblem('it holds text outside of its elements')
  }

  #markup(): void {
    const rest = (start: string): boolean => this.#text.startsWith(start, this.#at)
    if (rest('<!--')) this.#skipTo('-->', 'a comment')
    else if (rest('<![CDATA[')) this.#cdata()
    else if (rest('<?')) this.#skipTo('?>', 'an instruction')
    else if (rest('<!')) throw new XmlProblem('it declares a document type, which is not read')
    else if (rest('</')) this.#closing()
    else this.#opening()
  }

  #skipTo(end: string, what: string): void {
    const found = this.#text.indexOf(end, this.#at + 2)
    if (found === -1) throw new XmlProblem(`it ends within ${what}`)
    this.#at = found + end.length
  }

  #cdata(): void {
    const start = this.#at + '<![CDATA['.length
    this.#skipTo(']]>', 'a CDATA section')
    if (this.#open.length === 0) throw new XmlProblem('it holds text outside of its elements')
    this.#handler.text(this.#text.slice(start, this.#at - 3))
  }

  #closing(): void {
    this.#at += 2
    const name = this.#name()
    this.#match(SPACE)
    this.#end(`</${name}`)
    const expected = this.#open.pop()
    if (expected !== name)
      throw new XmlProblem(
        `</${name}> stands where ${expected === undefined ? 'nothing is open' : `<${expected}> is open`}`,
      )
    this.#handler.close(name)
  }

  #opening(): void {
    this.#at++
    const name = this.#name()
    if (this.#open.length === 0 && this.#rootSeen)
      throw new XmlProblem('it holds more than one element at its root')
    if (this.#open.length >= DEEPEST) throw new XmlProblem(`its elements are nested deeper than ${DEEPEST}`)
    this.#rootSeen = true
    const attributes = this.#attributes(name)
    this.#handler.open(name, attributes)
    if (this.#text[this.#at] === '/') {
      this.#at++
      this.#handler.close(name)
    } else this.#open.push(name)
    this.#end(`<${name}`)
  }

  #end(tag: string): void {
    if (this.#at >= this.#text.length) throw new XmlProblem(`it ends within ${tag}`)
    if (this.#text[this.#at] !== '>') throw new XmlProblem(`${tag} is not closed with ">"`)
    this.#at++
  }

  #attributes(element: string): Record<string, string> {
    const attributes = new Map<string, string>()
    for (;;) {
      const space = this.#match(SPACE)
      const next = this.#text[this.#at]
      if (next === undefined) throw new XmlProblem(`it ends within <${element}`)
      if (next === '>' || next === '/') return Object.fromEntries(attributes)
      if (space === '') throw new XmlProblem(`<${element} holds attributes without space between them`)
      const name = this.#name()
      if (attributes.has(name)) throw new XmlProblem(`<${element} has the attribute ${name} twice`)
      if (attributes.size >= MOST_ATTRIBUTES) throw new XmlProblem(`<${element} has too many attributes`)
      attributes.set(name, this.#value(element))
    }
  }

  #value(element: string): string {
    this.#match(SPACE)
    if (this.#text[this.#at] !== '=') throw new XmlProblem(`<${element} has an attribute without a value`)
    this.#at++
    this.#match(SPACE)
    const quote = this.#text[this.#at]
    const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1
    if (end === -1) throw new XmlProblem(`<${element} has a value that is not in quotes`)
    const raw = this.#text.slice(this.#at + 1, end)
    if (raw.includes('<')) throw new XmlProblem(`<${element} has a value that holds "<"`)
    this.#at = end + 1
    return this.#decoded(raw)
  }

  #name(): string {
    const name = this.#match(NAME)
    if (name === '') throw new XmlProblem('it holds "<" that begins no element')
    return name
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #decoded(raw: string): string {
    if (!raw.includes('&')) return raw
    return raw.replace(/&([^;&]{0,32});|&/gu, (all, entity: string | undefined) => {
      const decoded = entity === undefined ? undefined : (ENTITIES[entity] ?? characterOf(entity))
      if (decoded === undefined)
        throw new XmlProblem(`it holds ${all.slice(0, 40)}, which stands for nothing`)
      return decoded
    })
  }
}

function characterOf(entity: string): string | undefined {
  const digits = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/u.exec(entity)
  if (digits === null) return undefined
  const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16)
  const isHalf = code >= 0xd800 && code <= 0xdfff
  return code === 0 || code > 0x10ffff || isHalf ? undefined : String.fromCodePoint(code)
}
