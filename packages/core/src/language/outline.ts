// The outline of a text in any language: exact for Python, by the look of its lines for others.
import { isCurly, maskStrings } from './parses.js'
import { type Outline, outlinePython } from './python-outline.js'

const NOTHING: ReadonlySet<string> = new Set()
const DEFINITION =
  /^(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|type|enum|struct|fn|func|def)\s+(\w+)/gm
const IMPORT = /^import\s+(?:type\s+)?([\w$*{}\s,]+?)\s+from\b/gm
const LOCAL =
  /\b(?:const|let|var|function|class|catch)\s*\(?\s*([{[][^=;]*|\w+)|\(([^()]*)\)\s*(?:=>|\{)|\b(\w+)\s*=>/g
const ASSIGNMENT = /^(?:export\s+)?(?:const|let|var)\s+(\w+)/gm

/** What `text` brings and needs; undefined for Python that does not parse. */
export function outlineOf(text: string, language: string): Outline | undefined {
  if (language === 'python') return outlinePython(text)
  const plain = isCurly(language) ? maskStrings(text) : text
  const arrows = [
    ...plain.matchAll(
      /^(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>/gm,
    ),
  ]
  const mentions = new Set(plain.match(/\b[A-Za-z_]\w*/g) ?? [])
  const brings = new Set(
    names(plain, IMPORT)
      .flatMap(words)
      .filter((word) => word !== 'as'),
  )
  const locals = [...plain.matchAll(LOCAL)].flatMap((match) =>
    match.slice(1).flatMap((part) => words(part ?? '')),
  )
  const bound = new Set([...locals, ...brings])
  return {
    defines: new Set([...names(plain, DEFINITION), ...arrows.map((match) => match[1] ?? '')]),
    assigns: new Set(names(plain, ASSIGNMENT)),
    mentions,
    brings,
    needs: new Set([...mentions].filter((name) => !bound.has(name))),
    imports: NOTHING,
    acts: true,
  }
}

const words = (text: string): string[] => text.match(/[A-Za-z_$][\w$]*/g) ?? []

function names(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '')
}
