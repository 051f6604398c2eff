// The place of a file that resembles lines which are not in it. Bounded, whatever the size of the file.

const LINES_SEARCHED = 50_000
const WINDOW_LINES = 10
const LINE_CHARS = 160
const WORDS_A_LINE = 40

/**
 * The lines of `file` that most resemble `wanted`, with their numbers; twelve lines at most.
 *
 * @returns the file's first lines when nothing resembles them; empty for an empty file
 */
export function nearestLines(file: readonly string[], wanted: readonly string[]): string {
  const lines = file.slice(0, LINES_SEARCHED)
  const size = Math.min(Math.max(wanted.length, 1), WINDOW_LINES)
  const scores = scoresOf(lines, wanted.slice(0, 200))
  let sum = 0
  let best = { sum: 0, start: 0 }
  for (let index = 0; index < lines.length; index++) {
    sum += (scores[index] ?? 0) - (index >= size ? (scores[index - size] ?? 0) : 0)
    const start = Math.max(0, index - size + 1)
    if (sum > best.sum + 1e-9) best = { sum, start }
  }
  const from = Math.max(0, best.start - 1)
  const shown = lines.slice(from, best.start + size + 1)
  const width = String(from + shown.length).length
  return shown
    .map((line, index) => `${String(from + index + 1).padStart(width)} | ${clip(line)}`.trimEnd())
    .join('\n')
}

/** How much each line resembles any of the wanted ones: 1 for the same but for white space, else by shared words. */
function scoresOf(lines: readonly string[], wanted: readonly string[]): number[] {
  const same = new Set(wanted.map((line) => line.trim()).filter((line) => line.length > 1))
  const words = new Set(wanted.flatMap(wordsOf))
  return lines.map((line) => {
    const bare = line.trim()
    if (bare.length < 2) return 0
    if (same.has(bare)) return 1
    const own = wordsOf(bare)
    return own.length === 0 ? 0 : (0.6 * own.filter((word) => words.has(word)).length) / own.length
  })
}

const wordsOf = (line: string): string[] => [
  ...new Set((line.slice(0, 400).match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []).slice(0, WORDS_A_LINE)),
]

const clip = (line: string): string =>
  line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS).replace(/[\ud800-\udbff]$/, '')}…` : line
