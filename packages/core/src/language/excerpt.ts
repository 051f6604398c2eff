// The failing line with its neighbours, numbered and marked.

/** What to point at. */
export interface ExcerptOptions {
  /** Lines shown before and after. Default 3. */
  readonly around?: number
  /** 1-based column at which `carets` begin. */
  readonly column?: number
  /** Marks under the failing line, such as `~~^~~`. */
  readonly carets?: string
}

const LINE_LIMIT_CHARS = 200

/** The lines of a source text, without their ends. */
export const sourceLines = (text: string): string[] => text.split(/\r\n|\r|\n/u)

/**
 * Shows a line of `text` with its neighbours: each with its number, the line itself with a `>` before it.
 *
 * @param line - 1-based
 * @returns undefined when `text` has no such line
 */
export function excerptOf(text: string, line: number, options: ExcerptOptions = {}): string | undefined {
  const { around = 3, column, carets } = options
  const lines = sourceLines(text)
  if (!Number.isInteger(line) || line < 1 || line > lines.length) return undefined
  const last = Math.min(lines.length, line + around)
  const width = String(last).length
  const shown: string[] = []
  for (let number = Math.max(1, line - around); number <= last; number++) {
    const source = lines[number - 1] ?? ''
    const mark = number === line ? '>' : ' '
    shown.push(`${mark} ${String(number).padStart(width)} | ${clip(source)}`.trimEnd())
    if (number === line && column !== undefined && carets !== undefined && column <= LINE_LIMIT_CHARS)
      shown.push(`  ${' '.repeat(width)} | ${padding(source, column)}${clip(carets)}`)
  }
  // A file's last line end is no line of its own.
  if (lines.at(-1) === '' && last === lines.length && line !== last) shown.pop()
  return shown.join('\n')
}

/** Blanks up to a column; tabs stay tabs, so that the marks stand below what they mark. */
const padding = (source: string, column: number): string =>
  source.slice(0, column - 1).replace(/[^\t]/gu, ' ')

const clip = (text: string): string =>
  text.length > LINE_LIMIT_CHARS
    ? `${text.slice(0, LINE_LIMIT_CHARS).replace(/[\ud800-\udbff]$/u, '')}…`
    : text
