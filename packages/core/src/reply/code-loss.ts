// What a new text of a file has lost of the old one: the evidence that a remark stands for code.
import { outlineOf } from '../language/outline.js'
import { syntaxTree } from '../language/python-syntax.js'

const DEFINITION = /^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)/gm

/**
 * True when functions, classes or top-level variables of `before` are neither in `text` nor `elsewhere`; of a text
 * without such names, when there are fewer lines.
 */
export function losesCode(before: string, text: string, language: string, elsewhere: string): boolean {
  const old = nameCounts(before, language)
  if (old.size === 0) return codeLines(text) < codeLines(before)
  const now = nameCounts(text, language)
  const moved = nameCounts(elsewhere, language)
  return [...old].some(([name, count]) => (now.get(name) ?? 0) + (moved.get(name) ?? 0) < count)
}

function nameCounts(text: string, language: string): ReadonlyMap<string, number> {
  const { defines = [], assigns = [] } = outlineOf(text, language) ?? {}
  const counts = new Map<string, number>()
  const add = (name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1)
  // Methods too, of which several may have one name.
  if (language === 'python') for (const [, name = ''] of text.matchAll(DEFINITION)) add(name)
  else for (const name of defines) add(name)
  for (const name of assigns) counts.set(name, 1)
  return counts
}

const codeLines = (text: string): number =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:#|\/\/|\/\*|\*|<!--|--|;)/.test(line))
    .length

/** Functions of a Python text by their names from outside in, such as `A.f`; empty when it does not parse. */
export function pythonBodies(text: string): ReadonlyMap<string, PythonBody> {
  const bodies = new Map<string, PythonBody>()
  const parsed = syntaxTree(text)
  const around: string[] = []
  parsed?.tree.iterate({
    enter({ name, node }) {
      if (name !== 'FunctionDefinition' && name !== 'ClassDefinition') return
      const own = node.getChild('VariableName')
      around.push(own === null ? '' : parsed.masked.slice(own.from, own.to))
      const body = node.getChild('Body')
      if (name === 'ClassDefinition' || body === null) return
      const decorated = node.parent?.name === 'DecoratedStatement' ? node.parent : node
      const head = parsed.masked.slice(decorated.from, node.from)
      const inside = parsed.masked.slice(body.from, body.to).replace(/^:/, '').replace(/""/g, '').trim()
      bodies.set(around.join('.'), {
        isStub: /^(?:(?:\.\.\.|pass)[;\s]*)*$/.test(inside),
        hasDots: /^[;\s]*\.\.\./m.test(inside),
        // Their bodies are nowhere, by intention.
        isDeclared: /\b(?:overload|abstractmethod)\b/.test(head),
        lines: codeLines(inside),
      })
    },
    leave({ name }) {
      if (name === 'FunctionDefinition' || name === 'ClassDefinition') around.pop()
    },
  })
  return bodies
}

/** What stands in a function. */
export interface PythonBody {
  /** Nothing but `...` or `pass`, apart from strings. */
  readonly isStub: boolean
  readonly hasDots: boolean
  readonly isDeclared: boolean
  readonly lines: number
}

/** The function around a line, by the same names as {@link pythonBodies}; undefined at top level. */
export function functionAround(lines: readonly string[], at: number): string | undefined {
  const names: string[] = []
  const indentation = (line: string): number => line.length - line.trimStart().length
  let limit = indentation(lines[at] ?? '')
  for (let index = at; index >= 0; index--) {
    const line = lines[index] ?? ''
    const name = /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/.exec(line)?.[1]
    if (name === undefined || (index !== at && indentation(line) >= limit)) continue
    names.unshift(name)
    limit = indentation(line)
  }
  return names.length === 0 ? undefined : names.join('.')
}
