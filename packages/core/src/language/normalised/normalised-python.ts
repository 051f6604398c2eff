// A Python program as its tokens: without comments and layout, its local variables by number.
import { lexPython } from '../python-lexer.js'
import { isBinding } from '../python-names.js'
import { outlinePython } from '../python-outline.js'
import { syntaxTree } from '../python-syntax.js'
import { withoutEnds } from './normalised-text.js'

/** Names by which a program looks at its own variables: then each name matters. */
const LOOKS_AT_NAMES = ['locals', 'globals', 'vars', 'eval', 'exec', 'dir', 'getattr', 'setattr']
const TOKEN = /\\\r?\n|\n|[ \t\f\r]+|""|\p{ID_Start}\p{ID_Continue}*|_\p{ID_Continue}*|\d[\w.]*|[^\s\w]/gu

const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/gu

/** A text that is no Python is only trimmed at the ends of its lines. */
export function normalisedPython(text: string): string {
  const unified = text.replaceAll('\r\n', '\n')
  const { fault, masked, strings } = lexPython(unified)
  if (fault !== undefined) return withoutEnds(unified)
  return tokens(masked, strings, localNames(unified, strings)).join(' ')
}

/** All tokens: line breaks and indentation where they mean something, strings word for word. */
function tokens(masked: string, strings: readonly string[], locals: ReadonlySet<string>): string[] {
  const kept: string[] = []
  const numbers = new Map<string, number>()
  const indents = [0]
  let depth = 0
  let string = 0
  let column = 0
  let isLineStart = true
  for (const [token] of masked.matchAll(TOKEN)) {
    if (token === '\n') {
      if (depth === 0 && !isLineStart) kept.push('\n')
      if (depth === 0) [isLineStart, column] = [true, 0]
      continue
    }
    if (/^[\\\s]/u.test(token)) {
      if (isLineStart && !token.startsWith('\\')) column = widthOf(token)
      continue
    }
    if (isLineStart) kept.push(...indentation(indents, column))
    isLineStart = false
    if ('([{'.includes(token)) depth++
    if (')]}'.includes(token)) depth--
    if (token === '""') kept.push(strings[string++] ?? token)
    else kept.push(locals.has(token) && kept.at(-1) !== '.' ? numbered(numbers, token) : token)
  }
  while (kept.at(-1) === '\n') kept.pop()
  return kept
}

function numbered(numbers: Map<string, number>, name: string): string {
  const number = numbers.get(name) ?? numbers.size
  numbers.set(name, number)
  return `$${number}`
}

const widthOf = (space: string): number =>
  [...space].reduce((column, one) => (one === '\t' ? column + 8 - (column % 8) : column + 1), 0)

/** Deeper or less deep than the line before: by levels, not by columns. */
function indentation(indents: number[], column: number): string[] {
  const marks: string[] = []
  if (column > (indents.at(-1) ?? 0)) {
    indents.push(column)
    marks.push('{')
  }
  while (column < (indents.at(-1) ?? 0)) {
    indents.pop()
    marks.push('}')
  }
  return marks
}

/** Names that are bound within functions only, and by nothing that is seen from outside. */
function localNames(text: string, strings: readonly string[]): ReadonlySet<string> {
  const outline = outlinePython(text)
  const syntax = syntaxTree(text)
  if (outline === undefined || syntax === undefined) return new Set()
  if (LOOKS_AT_NAMES.some((name) => outline.mentions.has(name))) return new Set()
  const bound = new Set<string>()
  const seen = new Set([
    ...[...outline.defines, ...outline.assigns, ...outline.brings, ...outline.needs],
    // Whatever a formatted string may mention, however deep.
    ...strings.filter((one) => one.includes('{')).flatMap((one) => one.match(NAME) ?? []),
  ])
  let functions = 0
  syntax.tree.iterate({
    enter({ name, from, to, node }) {
      if (name === 'FunctionDefinition' || name === 'LambdaExpression') functions++
      if (name !== 'VariableName' || !isBinding(node)) return
      const own = syntax.masked.slice(from, to)
      const isOpen = functions === 0 || SEEN_FROM_OUTSIDE.has(node.parent?.name ?? '')
      ;(isOpen ? seen : bound).add(own)
    },
    leave({ name }) {
      if (name === 'FunctionDefinition' || name === 'LambdaExpression') functions--
    },
  })
  return new Set([...bound].filter((name) => !seen.has(name)))
}

/** Where a name is bound that callers, other modules or other scopes use as well. */
const SEEN_FROM_OUTSIDE = new Set([
  'ParamList',
  'ArgList',
  'FunctionDefinition',
  'ClassDefinition',
  'ImportStatement',
  'ScopeStatement',
  'KeywordPattern',
])
