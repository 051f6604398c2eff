// A unified diff as a person reads it: without git's header lines, coloured, folded when long.
import { indented, type Page, plural, quoted } from './layout.js'

const MOST_LINES = 44

/** The changed lines of `diff`, at most `most` of them. */
export function diffLines(page: Page, diff: string, most = MOST_LINES): string[] {
  const lines = withoutHeaders(diff)
  const shown = lines.slice(0, lines.length <= most ? most : most - 4)
  const painted = shown.flatMap((line) => quoted(page, [line], painter(page, line)))
  const left = lines.slice(shown.length).filter((line) => /^[+-]/.test(line)).length
  return left === 0
    ? painted
    : [...painted, indented(page.style.dim(`… ${plural(left, 'more changed line')}`))]
}

/** A file's header goes from `diff --git` to its first hunk; within a hunk, `--- ` can be a line that was taken away. */
function withoutHeaders(diff: string): string[] {
  let inHeader = false
  return diff.split('\n').filter((line) => {
    if (line.startsWith('diff --git ')) inHeader = true
    if (line.startsWith('@@')) inHeader = false
    return !inHeader && line !== ''
  })
}

function painter({ style }: Page, line: string): (text: string) => string {
  if (line.startsWith('@@')) return style.cyan
  if (line.startsWith('+')) return style.green
  return line.startsWith('-') ? style.red : style.dim
}
