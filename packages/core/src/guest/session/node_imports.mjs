// Imports in a cell: a cell is no module, so `import … from` becomes what does the same in a script, line for line.

const STATEMENT =
  /^import\s*(?:([\w$]+)\s*(?:,\s*)?)?(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*(?:from\s*)?(['"])([^'"\n]+)\4(?:\s*(?:with|assert)\s*(\{[^}]*\}))?/
const BEFORE_PATTERN =
  /(?:^|[({[,;=:!&|?+\-*%~^<>}\n]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))\s*$/

/** The cell with its imports as calls; texts, comments and patterns are left alone. */
export function rewriteImports(code) {
  if (!/\b(?:import|export)\b/.test(code)) return code
  const plain = mask(code)
  let result = ''
  let done = 0
  for (const { index, 0: word } of plain.matchAll(/\b(?:import|export)\b/g)) {
    if (index < done || /[.\w$]\s*$/.test(plain.slice(Math.max(0, index - 1), index))) continue
    const replacement = word === 'import' ? importAt(code, plain, index) : exportAt(plain, index)
    if (replacement === undefined) continue
    result += code.slice(done, index) + replacement.text
    done = index + replacement.length
  }
  return result + code.slice(done)
}

function importAt(code, plain, index) {
  const rest = plain.slice(index + 6)
  if (/^\s*\(/.test(rest)) return { text: '__sessionImport', length: 6 }
  if (/^\s*\.\s*meta\b/.test(rest))
    return { text: '__sessionMeta', length: 6 + /^\s*\.\s*meta/.exec(rest)[0].length }
  const found = STATEMENT.exec(code.slice(index))
  if (found === null || !/(?:^|[;\n}])[ \t]*$/.test(plain.slice(0, index))) return undefined
  const [statement, single, all, names, , specifier, attributes] = found
  const picked = [
    ...(single === undefined ? [] : [`default: ${single}`]),
    ...(names ?? '')
      .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
      .split(',')
      .flatMap((name) => (name.trim() === '' ? [] : [name.trim().replace(/\s+as\s+/, ': ')])),
  ]
  // As in a module, one that is not there is a mistake, and not undefined.
  const wanted = picked.map((one) => one.replace(/\s*:.*$/, '').replace(/^(['"])(.*)\1$/, '$2'))
  const options = attributes === undefined ? 'undefined' : `{ with: ${attributes.replace(/\s+/g, ' ')} }`
  const load = `await __sessionImport(${JSON.stringify(specifier)}, ${options}, ${JSON.stringify(wanted)})`
  const parts = [
    ...(all === undefined ? [] : [`const ${all} = ${load}`]),
    ...(picked.length === 0 ? [] : [`const { ${picked.join(', ')} } = ${load}`]),
  ]
  // As many lines as before, so that every line keeps its number.
  const lines = '\n'.repeat(statement.split('\n').length - 1)
  // With a semicolon, or what the next line begins with would belong to the call.
  return { text: `${parts.join('; ') || `void ${load}`};${lines}`, length: statement.length }
}

function exportAt(plain, index) {
  const found = /^export\s+(?=const\b|let\b|var\b|function\b|class\b|async\b)/.exec(plain.slice(index))
  return found === null ? undefined : { text: '', length: found[0].length }
}

/** The code with blanks in place of all that is text, comment or pattern; as long as before. */
function mask(code) {
  let masked = ''
  /** Open templates: how many braces are open within the expression that each is at. */
  const templates = []
  const blank = (text) => text.replace(/[^\n]/g, ' ')
  for (let at = 0; at < code.length; ) {
    const rest = code.slice(at)
    const literal =
      /^(?:\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?)/.exec(
        rest,
      )?.[0]
    const pattern =
      literal === undefined && code[at] === '/' && BEFORE_PATTERN.test(masked.slice(-40))
        ? /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/.exec(rest)?.[0]
        : undefined
    const inTemplate = templates.at(-1) === 0 && code[at] === '}'
    const template =
      code[at] === '`' || inTemplate
        ? /^[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/.exec(rest)?.[0]
        : undefined
    const skipped = literal ?? pattern ?? template
    if (skipped === undefined) {
      if (templates.length > 0 && '{}'.includes(code[at]))
        templates.push(templates.pop() + (code[at] === '{' ? 1 : -1))
      masked += code[at++]
      continue
    }
    if (template !== undefined) {
      if (inTemplate) templates.pop()
      if (template.endsWith('${')) templates.push(0)
    }
    masked += blank(skipped)
    at += skipped.length
  }
  return masked
}
