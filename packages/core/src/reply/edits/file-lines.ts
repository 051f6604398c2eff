// A file as lines, with everything that is needed to write it back as it was: its line ends, its mark, its last newline.

/** A text in lines. */
export interface FileLines {
  /** The byte order mark, or nothing. */
  readonly mark: string
  readonly lines: readonly string[]
  /** The end of each line; the last one's counts only with `hasFinalNewline`. */
  readonly ends: readonly string[]
  readonly hasFinalNewline: boolean
}

/** Divides a text. Line ends are LF and CR LF, also mixed. */
export function toFileLines(text: string): FileLines {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const lines: string[] = []
  const ends: string[] = []
  let start = mark.length
  while (start < text.length) {
    const feed = text.indexOf('\n', start)
    if (feed === -1) break
    const isPair = feed > start && text.charCodeAt(feed - 1) === 13
    lines.push(text.slice(start, isPair ? feed - 1 : feed))
    ends.push(isPair ? '\r\n' : '\n')
    start = feed + 1
  }
  const hasFinalNewline = start >= text.length
  if (!hasFinalNewline) {
    lines.push(text.slice(start))
    ends.push(ends.at(-1) ?? '\n')
  }
  return { mark, lines, ends, hasFinalNewline }
}

/** The text again. */
export function toText({ mark, lines, ends, hasFinalNewline }: FileLines): string {
  const last = lines.length - 1
  const parts = lines.map((line, index) =>
    index < last || hasFinalNewline ? line + (ends[index] ?? '\n') : line,
  )
  return mark + parts.join('')
}

/** The file with `count` lines from `start` on replaced. */
export function spliced(
  file: FileLines,
  start: number,
  count: number,
  lines: readonly string[],
  ends: readonly string[],
): FileLines {
  return {
    ...file,
    lines: file.lines.slice(0, start).concat(lines, file.lines.slice(start + count)),
    ends: file.ends.slice(0, start).concat(ends, file.ends.slice(start + count)),
  }
}
