// Which kind of text some text is: by what it says of itself, then by the file's name, then by its looks.
import type { FileKind } from './file-type.js'

/** A kind of text. */
export interface TextType {
  readonly mime: string
  readonly kind: FileKind
  readonly extension: string
}

const text = (mime: string, extension: string, kind: FileKind = 'text'): TextType => ({
  mime,
  extension,
  kind,
})

const HTML = text('text/html', 'html')
const SVG = text('image/svg+xml', 'svg', 'image')
const XML = text('application/xml', 'xml')
const JSON_TEXT = text('application/json', 'json')
const JSON_LINES = text('application/x-ndjson', 'jsonl')
const NOTEBOOK = text('application/x-ipynb+json', 'ipynb')
const PYTHON = text('text/x-python', 'py')
const JAVASCRIPT = text('text/javascript', 'js')
const SHELL = text('text/x-shellscript', 'sh')
const CSV = text('text/csv', 'csv')
const TSV = text('text/tab-separated-values', 'tsv')
const PLAIN = text('text/plain', 'txt')

/** Any text may have these names; formats that can be recognised are not among them. */
const BY_EXTENSION: ReadonlyMap<string, TextType> = new Map(
  Object.entries({
    bat: text('text/plain', 'bat'),
    c: text('text/x-c', 'c'),
    cc: text('text/x-c++', 'cc'),
    cjs: text('text/javascript', 'cjs'),
    cpp: text('text/x-c++', 'cpp'),
    cs: text('text/x-csharp', 'cs'),
    css: text('text/css', 'css'),
    csv: CSV,
    diff: text('text/x-diff', 'diff'),
    go: text('text/x-go', 'go'),
    h: text('text/x-c', 'h'),
    hpp: text('text/x-c++', 'hpp'),
    ini: text('text/plain', 'ini'),
    java: text('text/x-java', 'java'),
    js: JAVASCRIPT,
    jsx: text('text/javascript', 'jsx'),
    log: text('text/plain', 'log'),
    md: text('text/markdown', 'md'),
    mjs: text('text/javascript', 'mjs'),
    patch: text('text/x-diff', 'patch'),
    php: text('text/x-php', 'php'),
    py: PYTHON,
    r: text('text/x-r', 'r'),
    rb: text('text/x-ruby', 'rb'),
    rs: text('text/x-rust', 'rs'),
    rst: text('text/x-rst', 'rst'),
    sh: SHELL,
    sql: text('application/sql', 'sql'),
    tex: text('text/x-tex', 'tex'),
    toml: text('application/toml', 'toml'),
    ts: text('text/x-typescript', 'ts'),
    tsv: TSV,
    tsx: text('text/x-typescript', 'tsx'),
    yaml: text('application/yaml', 'yaml'),
    yml: text('application/yaml', 'yml'),
  }),
)

/** A few screens; more would tell no more, and patterns stay fast. */
const LOOKED_AT = 4096

/** @param isWhole - the text is all of the file, not its beginning */
export function textContent(content: string, extension: string, isWhole: boolean): TextType {
  const start = content.trimStart()
  return (
    markup(start, extension) ??
    jsonContent(start, extension, isWhole) ??
    shebang(content) ??
    BY_EXTENSION.get(extension) ??
    byLooks(content.slice(0, LOOKED_AT), isWhole && content.length <= LOOKED_AT) ??
    PLAIN
  )
}

function markup(start: string, extension: string): TextType | undefined {
  if (!start.startsWith('<')) return undefined
  const body = start.slice(0, 4096).replace(/<!--[\s\S]*?-->/g, '')
  if (/^\s*(<\?xml\b[^>]*>\s*)?(<!DOCTYPE\s+svg\b[^>]*>\s*)?<svg[\s>]/i.test(body)) return SVG
  if (/^\s*(<\?xml\b[^>]*>\s*)?(<!DOCTYPE\s+html\b|<html[\s>])/i.test(body)) return HTML
  if (/^\s*<\?xml\s/.test(body)) return XML
  if (extension === 'html' || extension === 'htm') return HTML
  if (extension === 'xml') return XML
  return /^\s*<(head|body|div|table|p|script|style)[\s>]/i.test(body) ? HTML : undefined
}

function jsonContent(start: string, extension: string, isWhole: boolean): TextType | undefined {
  if (!/^[[{]/.test(start)) return undefined
  const type = extension === 'ipynb' || /"nbformat"\s*:/.test(start) ? NOTEBOOK : JSON_TEXT
  if (isWhole && parses(start)) return type
  const [first = '', second = ''] = start.split('\n', 2)
  if (parses(first) && (/^\s*[[{]/.test(second) || extension === 'jsonl')) return JSON_LINES
  if (isWhole) return undefined
  const looksLikeIt = /^(\{\s*"(?:[^"\\\n]|\\.)*"\s*:|\[\s*(?:[[{"\d-]|true|false|null))/.test(start)
  return looksLikeIt || extension === 'json' ? type : undefined
}

function parses(json: string): boolean {
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

function shebang(content: string): TextType | undefined {
  const program = /^#!\s*(?:\S*\/)?([\w.+-]+)(?:[ \t]+(?:-S[ \t]+)?([\w.+-]+))?/.exec(content)
  const name = program?.[1] === 'env' ? program[2] : program?.[1]
  if (name === undefined) return undefined
  if (/^python/.test(name)) return PYTHON
  if (/^(node|deno|bun)$/.test(name)) return JAVASCRIPT
  return /^(ba|da|z|k)?sh$/.test(name) ? SHELL : undefined
}

function byLooks(content: string, isWhole: boolean): TextType | undefined {
  if (
    /^(from [\w.]+ import |import [\w.]+( as \w+)?\s*$|(async )?def \w+\(.*\).*:\s*$|class \w+.*:\s*$)/m.test(
      content,
    )
  )
    return PYTHON
  if (
    /^(import .* from ['"]|export (default|const|function|class) |const \w+ = |(async )?function\*? \w+\()/m.test(
      content,
    )
  )
    return JAVASCRIPT
  const lines = content.split('\n', 20)
  // Of a beginning the last line may be cut.
  const rows = lines
    .slice(0, isWhole || lines.length === 20 ? undefined : -1)
    .filter((line) => line.trim() !== '')
  if (isTable(rows, '\t')) return TSV
  return isTable(rows, ',') || isTable(rows, ';') ? CSV : undefined
}

/** At least two rows, and the same number of columns in each; a comma before a space may be one of a sentence. */
function isTable(rows: readonly string[], separator: string): boolean {
  const unquoted = rows.map((row) => row.replace(/"[^"]*"/g, '_'))
  const columns = unquoted.map((row) => row.split(separator).length)
  const least = separator === ',' && unquoted.some((row) => /,(\s|$)/.test(row)) ? 3 : 2
  return rows.length >= 2 && (columns[0] ?? 0) >= least && columns.every((count) => count === columns[0])
}
