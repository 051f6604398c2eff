// Whether a text plausibly is Python: a strict grammar behind a lexer of our own. Never runs anything.
import type { Tree } from '@lezer/common'
import { parser } from '@lezer/python'
import { lexPython } from './python-lexer.js'

const strictParser = parser.configure({ strict: true })

/**
 * True when CPython would most likely compile `text`. Errors on the side of yes for what only a compiler sees (`return`
 * at top level, a name assigned and declared global); an empty text parses.
 */
export function parsesAsPython(text: string): boolean {
  return syntaxTree(text) !== undefined
}

interface Syntax {
  readonly tree: Tree
  /** What the tree's positions count in. */
  readonly masked: string
}

/** The last text, since one text is asked about several times in a row. */
let remembered: { text: string; syntax: Syntax | undefined } | undefined

/** The tree of the masked text and that text, or undefined when it does not parse. */
export function syntaxTree(text: string): Syntax | undefined {
  if (remembered?.text !== text) remembered = { text, syntax: read(text) }
  return remembered.syntax
}

function read(text: string): Syntax | undefined {
  const { fault, masked } = lexPython(text)
  if (fault !== undefined) return undefined
  const bridged = bridgeGaps(masked)
  const tree = parseStrictly(bridged)
  if (tree !== undefined) return { tree, masked: bridged }
  if (!/^[ \t]*match\b/m.test(bridged)) return undefined
  const flat = bridged.replace(/^([ \t]*)(?:match|case)\b[^\n]*:[ \t]*$/gm, '$1if 1:')
  const second = parseStrictly(flat)
  return second === undefined ? undefined : { tree: second, masked: flat }
}

function parseStrictly(text: string): Tree | undefined {
  try {
    return strictParser.parse(text)
  } catch {
    // A strict parser reports a syntax error by throwing.
    return undefined
  }
}

/** Rewrites what CPython takes and the grammar does not: a bare `yield`, `2.`, targets and brackets of `with`. */
function bridgeGaps(masked: string): string {
  return masked
    .replace(/\byield\b(?=[ \t]*(?:[)\]},;\n]|$))/g, 'yield 0')
    .replace(/\b(\d[\d_]*)\.(?![\w.])/g, '$1.0')
    .replace(
      /^([ \t]*(?:async[ \t]+)?with\b)([^\n]*(?:\n[^\n]*\bas\b[^\n]*|\n[ \t]*\))*)/gm,
      (_, head, rest) => {
        return `${head}${String(rest).replace(/\bas\b/g, ',')}`
      },
    )
}
