// Reads CSV as Python's csv module does, so that an independent recount sees the same rows as the program.

/**
 * Yields the rows of `text`, fields unquoted. Commas separate; `"` quotes at the start of a field only; lines end with
 * LF, CRLF or CR; an empty line is no row.
 */
export function* csvRows(text: string): Generator<string[]> {
  const end = text.length
  let row: string[] = []
  let at = 0
  while (at < end) {
    const [field, next] = text[at] === '"' ? quotedField(text, at + 1) : plainField(text, at)
    const first = row.length === 0
    const blankLine = first && next === at && text[next] !== ','
    if (!blankLine) row.push(field)
    at = next
    if (text[at] === ',') {
      at++
      // A comma at the very end has one more, empty field behind it.
      if (at === end) row.push('')
      else if (text[at] === '\n' || text[at] === '\r') row.push('')
      else continue
    }
    if (row.length > 0) yield row
    row = []
    if (text[at] === '\r' && text[at + 1] === '\n') at += 2
    else at++
  }
  if (row.length > 0) yield row
}

/** Everything up to the next comma or line end. */
function plainField(text: string, from: number): [field: string, next: number] {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 44 || code === 10 || code === 13) break
  }
  return [text.slice(from, at), at]
}

/** Everything up to the closing quote; `""` is one quote. What stands between it and the comma is kept, as Python does. */
function quotedField(text: string, from: number): [field: string, next: number] {
  let field = ''
  let at = from
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return [field + text.slice(at), text.length]
    field += text.slice(at, quote)
    if (text[quote + 1] !== '"') {
      const [rest, next] = plainField(text, quote + 1)
      return [field + rest, next]
    }
    field += '"'
    at = quote + 2
  }
}
