// Which names of a Python text it binds somewhere itself, and which it uses within f-strings, where no grammar looks.
import type { SyntaxNode } from '@lezer/common'

const BINDING_PARENTS = new Set([
  'ParamList',
  'ImportStatement',
  'FunctionDefinition',
  'ClassDefinition',
  'CapturePattern',
  'KeywordPattern',
  'ScopeStatement',
])
const GROUPS = new Set(['TupleExpression', 'ArrayExpression', 'ParenthesizedExpression'])

/** True when the name at `node` is bound there, in whatever scope: as a target, a parameter, an import, … */
export function isBinding(node: SyntaxNode): boolean {
  let target = node
  while (target.parent !== null && GROUPS.has(target.parent.name)) target = target.parent
  const { parent, prevSibling: before } = target
  if (parent === null) return false
  if (BINDING_PARENTS.has(parent.name)) return !(parent.name === 'ParamList' && before?.name === 'AssignOp')
  switch (parent.name) {
    case 'AssignStatement':
    case 'NamedExpression':
      return hasAfter(target, 'AssignOp')
    case 'ForStatement':
      return hasAfter(target, 'in')
    case 'WithStatement':
      return before?.name === 'as' || before?.name === ','
    case 'TryStatement':
    case 'AsPattern':
      return before?.name === 'as'
    // The word before an argument's `=` names a parameter of what is called.
    case 'ArgList':
      return target.nextSibling?.name === 'AssignOp'
  }
  return parent.name.endsWith('ComprehensionExpression') && isBetween(target, 'for', 'in')
}

function hasAfter(node: SyntaxNode, name: string): boolean {
  for (let next = node.nextSibling; next !== null; next = next.nextSibling)
    if (next.name === name) return true
  return false
}

function isBetween(node: SyntaxNode, start: string, end: string): boolean {
  let before = node.prevSibling
  while (before !== null && before.name !== start && before.name !== end) before = before.prevSibling
  return before?.name === start && hasAfter(node, end)
}

/** The names that an import statement brings: `import a.b as c, d` brings `c` and `d`. */
export function importedNames(statement: string): string[] {
  const list = statement.replace(/^from[\s\S]*?\bimport\b|^import\b/u, '').replace(/[()\\]/gu, ' ')
  return list.split(',').flatMap((item) => {
    const name = /\bas\s+(\w+)\s*$/u.exec(item)?.[1] ?? /^\s*([\p{L}_]\w*)/u.exec(item)?.[1]
    return name === undefined ? [] : [name]
  })
}

const FORMATTED = /\b(?:[fF][rR]?|[rR][fF])("""|'''|"|')((?:\\[\s\S]|(?!\1)[^\\]){0,2000})\1/gu

/** Names between the braces of f-strings. */
export function formattedNames(text: string): string[] {
  return [...text.matchAll(FORMATTED)].flatMap(([, , content = '']) =>
    [...content.matchAll(/\{([^{}]+)\}/gu)].flatMap(([, code = '']) => [
      ...(code.match(/(?<![\w.])[A-Za-z_]\w*/gu) ?? []),
    ]),
  )
}
