// The outline of a text in any language: exact for Python, by the look of its lines for others.
import { isCurly, maskStrings } from './parses.js'
import { type Outline, outlinePython } from './python-outline.js'

const NOTHING: ReadonlySet<string> = new Set()
const DEFINITION =
  /^(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|type|enum|struct|fn|func|def)\s+(\w+)/gm
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
  return {
    defines: new Set([...names(plain, DEFINITION), ...arrows.map((match) => match[1] ?? '')]),
    assigns: new Set(names(plain, ASSIGNMENT)),
    mentions: new Set(plain.match(/\b[A-Za-z_]\w*/g) ?? []),
    imports: NOTHING,
    acts: true,
  }
}

function names(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '')
}
