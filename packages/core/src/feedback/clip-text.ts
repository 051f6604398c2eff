// Cuts a text to a budget of characters, keeping head and tail and saying how much went.

/** Room that the line about what was left out takes at most. */
const MARKER_CHARS = 60

/**
 * Keeps head and tail of `text`, because compilers put the cause first and interpreters put it last. The cut falls on
 * line ends where some are near, never inside a code point.
 *
 * @param limitChars - upper bound of the result's `length`; below 80 only the head is kept
 * @param mark - put before a tail that begins within a line, so that it stays what that line is
 * @returns the text itself when it fits
 */
export function clipText(text: string, limitChars: number, mark = ''): string {
  if (text.length <= limitChars) return text
  if (limitChars < MARKER_CHARS + 20) return limitChars < 1 ? '' : `${headOf(text, limitChars - 1)}…`
  const room = limitChars - MARKER_CHARS - mark.length
  const head = wholeLinesHead(headOf(text, Math.floor(room * 0.4)))
  const tail = wholeLinesTail(tailOf(text, room - head.length))
  const isCut = tail !== '' && text[text.length - tail.length - 1] !== '\n'
  const dropped = text.length - head.length - tail.length
  return `${head}\n… ${dropped} of ${text.length} characters left out …\n${isCut ? mark : ''}${tail}`
}

const headOf = (text: string, length: number): string =>
  text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/u, '')

const tailOf = (text: string, length: number): string =>
  (length <= 0 ? '' : text.slice(-length)).replace(/^[\udc00-\udfff]/u, '')

/** Up to the last line end, when no more than a quarter is lost by it. */
function wholeLinesHead(head: string): string {
  const end = head.lastIndexOf('\n')
  return end > head.length * 0.75 ? head.slice(0, end) : head
}

function wholeLinesTail(tail: string): string {
  const start = tail.indexOf('\n')
  return start !== -1 && start < tail.length * 0.25 ? tail.slice(start + 1) : tail
}
