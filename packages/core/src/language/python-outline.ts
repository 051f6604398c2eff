// What a Python text brings and needs at its top level: enough to tell a program from a usage example.
import type { TreeCursor } from '@lezer/common'
import { formattedNames, importedNames, isBinding } from './python-names.js'
import { syntaxTree } from './python-syntax.js'

/** Names of one text. */
export interface Outline {
  /** Functions and classes defined at top level, also below `if` or `try`. */
  readonly defines: ReadonlySet<string>
  /** Variables assigned at top level. */
  readonly assigns: ReadonlySet<string>
  /** Every name that occurs, attributes left out. */
  readonly mentions: ReadonlySet<string>
  /** Names that its imports bring at top level, such as `math`. */
  readonly brings: ReadonlySet<string>
  /** Names that it uses and binds nowhere itself; builtins are among them. */
  readonly needs: ReadonlySet<string>
  /** Modules it imports from, such as `solution`. */
  readonly imports: ReadonlySet<string>
  /** True when running it does more than evaluate names and literals. */
  readonly acts: boolean
}

const ACTS = /(?:Statement|Definition)$|^(?:Call|Named|Await)Expression$/
const PASSIVE = new Set(['ExpressionStatement', 'StatementGroup'])

type Range = { from: number; to: number }

/** The outline of `text`, or undefined when it does not parse. */
export function outlinePython(text: string): Outline | undefined {
  const parsed = syntaxTree(text)
  if (parsed === undefined) return undefined
  const defines = new Set<string>()
  const assigns = new Set<string>()
  const mentions = new Set<string>()
  const brings = new Set<string>()
  const bound = new Set<string>()
  const imports = new Set<string>()
  let acts = false
  const textOf = ({ from, to }: Range): string => parsed.masked.slice(from, to)
  // How many functions and classes are around the current node; inside one nothing belongs to the top level.
  let depth = 0
  parsed.tree.iterate({
    enter({ name, from, to, node }) {
      const isDefinition = name === 'FunctionDefinition' || name === 'ClassDefinition'
      if (name === 'VariableName') {
        mentions.add(textOf({ from, to }))
        if (isBinding(node)) bound.add(textOf({ from, to }))
      }
      if (name === 'ImportStatement')
        imports.add(/^(?:from|import)\s+(\w+)/.exec(textOf({ from, to }))?.[1] ?? '')
      if (depth === 0) {
        acts ||= ACTS.test(name) && !PASSIVE.has(name)
        const own = isDefinition ? node.getChild('VariableName') : null
        if (own !== null) defines.add(textOf(own))
        if (name === 'ImportStatement')
          for (const brought of importedNames(textOf({ from, to }))) brings.add(brought)
        if (name === 'AssignStatement')
          for (const target of targets(node.cursor())) assigns.add(textOf(target))
      }
      if (isDefinition) depth += 1
    },
    leave({ name }) {
      if (name === 'FunctionDefinition' || name === 'ClassDefinition') depth -= 1
    },
  })
  for (const name of formattedNames(text)) mentions.add(name)
  const needs = new Set([...mentions].filter((name) => !bound.has(name)))
  return { defines, assigns, mentions, brings, needs, imports, acts }
}

/** Plain names left of the last `=` of an assignment. */
function targets(cursor: TreeCursor): Range[] {
  const found: Range[] = []
  let pending: Range[] = []
  for (let more = cursor.firstChild(); more; more = cursor.nextSibling()) {
    if (cursor.name === 'VariableName') pending.push({ from: cursor.from, to: cursor.to })
    if (cursor.name !== 'AssignOp') continue
    found.push(...pending)
    pending = []
  }
  return found
}
