// Terminal output → the text that a person would have seen at the end: no colours, redrawn lines in their last state.

// Built from parts, since a literal control character in a pattern is easily lost in an editor.
const ESC = '\u001b'
const BEL = '\u0007'
const STRING_SEQUENCE = new RegExp(`${ESC}[\\]PX^_][^${ESC}${BEL}\\n]*(?:${BEL}|${ESC}\\\\|(?=\\n)|$)`, 'gu')
const CONTROL_SEQUENCE = new RegExp(`(?:${ESC}\\[|\u009b)([0-?]*)[ -/]*([@-~])`, 'gu')
const SHORT_SEQUENCE = new RegExp(`${ESC}[ -/]*[0-~]?`, 'gu')
// Noncharacters, which no text may hold, stand for the two ways to erase a line.
const ERASE_TO_END = '\ufdd0'
const ERASE_ALL = '\ufdd1'
const OWN_MARKS = new RegExp(`[${ERASE_TO_END}${ERASE_ALL}]`, 'gu')
const OTHER_CONTROLS = /(?![\t\n\r]|[\b])\p{Cc}/gu
const LONE_SURROGATE = /\p{Surrogate}/gu

/**
 * Cleans program output for a model: escape sequences go, a line redrawn with carriage returns or backspaces keeps its
 * last state only, line ends become `\n`, other control characters and halves of code points go.
 *
 * @returns the text itself when there is nothing to clean
 */
export function textForModel(text: string): string {
  const plain = text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(/\r\n/gu, '\n')
    .replace(OWN_MARKS, '\ufffd')
    .replace(STRING_SEQUENCE, '')
    .replace(CONTROL_SEQUENCE, (_, parameter: string, final: string) =>
      final === 'K' ? (parameter === '2' ? ERASE_ALL : parameter === '1' ? '' : ERASE_TO_END) : '',
    )
    .replace(SHORT_SEQUENCE, '')
    .replace(OTHER_CONTROLS, '')
  if (!REDRAWN.test(plain)) return plain
  return plain
    .split('\n')
    .map((line) => (REDRAWN.test(line) ? lastState(line) : line))
    .join('\n')
}

const REDRAWN = new RegExp(`[\r\b${ERASE_TO_END}${ERASE_ALL}]`, 'u')

/** What a terminal shows of a line after everything was written to it. */
function lastState(line: string): string {
  let cells: string[] = []
  let cursor = 0
  for (const character of line) {
    if (character === '\r') cursor = 0
    else if (character === '\b') cursor = Math.max(0, cursor - 1)
    else if (character === ERASE_TO_END) cells.length = Math.min(cells.length, cursor)
    else if (character === ERASE_ALL) cells = []
    else {
      while (cells.length < cursor) cells.push(' ')
      cells[cursor] = character
      cursor += 1
    }
  }
  return cells.join('').trimEnd()
}
