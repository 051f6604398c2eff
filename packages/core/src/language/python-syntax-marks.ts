// Where the marks below a syntax error really stand: Python 3.9 to 3.12 count bytes when they read the program from a
// file, the others and `compile()` characters. Nothing that is printed says which; the words of the line mostly do.

/** Marks below a line. */
export interface SyntaxMarks {
  /** Where they begin, in characters from 0. */
  readonly at: number
  /** How many there are. */
  readonly length: number
}

/**
 * The marks in characters; undefined when they may mean one place as well as another.
 *
 * @param source - the line, as printed
 * @param printed - the marks, as printed
 */
export function syntaxMarks(source: string, printed: SyntaxMarks): SyntaxMarks | undefined {
  const marked = source.slice(0, printed.at + printed.length)
  if (Buffer.byteLength(marked) === marked.length) return printed
  const possible = [printed, fromBytes(source, printed)].filter(
    (marks) => marks !== undefined && areWords(source, marks),
  )
  return possible.length === 1 ? possible[0] : undefined
}

/** Undefined when they would begin within a character. */
function fromBytes(source: string, { at, length }: SyntaxMarks): SyntaxMarks | undefined {
  const bytes = Buffer.from(source)
  const before = bytes.toString('utf8', 0, at)
  if (at > bytes.length || !source.startsWith(before)) return undefined
  // A single mark stands for a whole character; at the end of the line it stands below nothing.
  const upTo = bytes.toString('utf8', 0, at + length)
  return { at: before.length, length: Math.max(1, upTo.length - before.length) }
}

/** A syntax error is a word, a sign or several of them, never a part of a word or what stands between; or the line's end. */
function areWords(source: string, { at, length }: SyntaxMarks): boolean {
  if (at >= source.length) return at === source.length
  const isPart = (index: number): boolean => /^[\p{L}\p{N}_]{2}$/u.test(source.slice(index - 1, index + 1))
  return !/\s/u.test(source[at] ?? '') && !isPart(at) && !isPart(at + length)
}
