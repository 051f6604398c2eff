// Whether Python will ever look up an undefined name: in an annotation that is only a text it will not.
import { parser } from '@lezer/python'

type Node = ReturnType<Read['tree']['resolveInner']>

/** Where a name stands, and in which Python. */
export interface NamePlace {
  readonly line: number
  readonly column: number
  /** Minor version of the Python that will run it; 0 when that is not known. */
  readonly minor: number
}

/** Annotations are evaluated when they are asked for, since this version (PEP 649). */
const LAZY_ANNOTATIONS = 14
const FUTURE = /^from[ \t]+__future__[ \t]+import\b[^\n]*\bannotations\b/mu
/** What puts names where no tool sees them: with it a name may be there when it is wanted. */
const NAMES_MADE = /\b(?:exec|globals|vars|locals)[ \t]*\(|\b(?:builtins|__builtins__|__dict__)\b/u

/**
 * False for a name in quotes, in an annotation that is not evaluated, and in a program that makes names as it runs. Then the
 * program may well be right, and running it tells.
 */
export function isEvaluatedName(text: string, { line, column, minor }: NamePlace): boolean {
  const { tree, starts, makesNames, hasFuture } = read(text)
  if (makesNames) return false
  const isLazy = minor >= LAZY_ANNOTATIONS || hasFuture
  const node = tree.resolveInner((starts[line - 1] ?? 0) + column - 1, 1)
  for (let one: Node | null = node; one !== null; one = one.parent) {
    if (one.name === 'String') return false
    if (one.name === 'TypeDef' && (isLazy || isLocalVariable(one))) return false
  }
  return true
}

interface Read {
  readonly text: string
  readonly tree: ReturnType<typeof parser.parse>
  /** Where each line begins. */
  readonly starts: readonly number[]
  readonly makesNames: boolean
  readonly hasFuture: boolean
}

/** The last text, since one text is asked about several times in a row. */
let remembered: Read | undefined

function read(text: string): Read {
  if (remembered?.text === text) return remembered
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/gu)].map(({ index, 0: end }) => index + end.length)]
  const makesNames = NAMES_MADE.test(text)
  remembered = { text, tree: parser.parse(text), starts, makesNames, hasFuture: FUTURE.test(text) }
  return remembered
}

/** The annotation of a variable within a function is never evaluated. */
function isLocalVariable({ parent }: Node): boolean {
  if (parent?.name !== 'AssignStatement') return false
  for (let one: Node | null = parent; one !== null; one = one.parent) {
    if (one.name === 'FunctionDefinition') return true
    if (one.name === 'ClassDefinition') return false
  }
  return false
}
