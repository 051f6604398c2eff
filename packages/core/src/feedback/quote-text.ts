// Text from an execution within feedback: marked line by line, so that it cannot pass for a line of the feedback's own.

const LINE_END = /\r\n|[\n\r\u2028\u2029]/u
export const QUOTE_MARK = '| '
/** How lines of feedback begin; a message that begins so is marked from its first line on. */
const OWN =
  /^\W*(?:no attempts?|\d+ attempts?|a person|attempt \d|the program as given|also failed|hidden checks|about the reply|output of the program|calls, outermost|local variables|it came from|test |input:|expected:|actual:|at \S+, line)/iu

/** Puts `| ` before each line. */
export const quoteLines = (text: string): string => text.split(LINE_END).map(quoteLine).join('\n')

/** The first line as it is, since it names what happened; `| ` before each further one. */
export function quoteMessage(text: string): readonly [first: string, ...rest: string[]] {
  const [first = '', ...rest] = text.split(LINE_END)
  return [OWN.test(first) ? quoteLine(first) : first, ...rest.map(quoteLine)]
}

const quoteLine = (line: string): string => `${QUOTE_MARK}${line}`.trimEnd()

/** Source lines with their numbers; whatever else stands among them is marked. */
export function quoteExcerpt(excerpt: string): string {
  return excerpt
    .split(LINE_END)
    .map((line) => (/^[ >] *\d* \| ?/u.test(line) || /^[ >] *\d* \|$/u.test(line) ? line : quoteLine(line)))
    .join('\n')
}

/** All of it in one line. */
export const oneLine = (text: string): string =>
  text.replace(/[ \t]*(?:\r\n|[\n\r\u2028\u2029])\s*/gu, ' ').trim()

/** The head of one line, and how much there was. */
export function clipLine(text: string, limitChars: number): string {
  const line = oneLine(text)
  if (line.length <= limitChars) return line
  const tail = `… (${line.length} characters)`
  return `${line.slice(0, Math.max(0, limitChars - tail.length)).replace(/[\ud800-\udbff]$/u, '')}${tail}`
}
