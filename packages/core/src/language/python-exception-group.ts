// The printed form of an exception group: a tree drawn with bars, one column further in for each level.

const HEADER = /^(\s*)\+ Exception Group Traceback \(most recent call last\):$/u
const SEPARATOR = /^(\s*(?:\+-)?)\+-{4,} (?:\d+|\.\.\.) -{4,}$/u
const END = /^(\s*)\+-{10,}$/u
const BAR = /^(\s*)\| ?(.*)$/u

interface Segment {
  readonly column: number
  readonly lines: string[]
}

/** A group as printed. */
export interface GroupRegion {
  /** The lines of the group itself, then of each member, inner groups and their members included; bars taken off. */
  readonly segments: readonly (readonly string[])[]
  /** Index of the first line after it. */
  readonly end: number
}

/** Reads the group that begins at `start`; undefined when none begins there. */
export function groupRegion(lines: readonly string[], start: number): GroupRegion | undefined {
  const header = HEADER.exec(lines[start] ?? '')
  if (header === null) return undefined
  const rootColumn = header[1]?.length ?? 0
  const root: Segment = { column: rootColumn, lines: ['Exception Group Traceback (most recent call last):'] }
  const segments: Segment[] = [root]
  let current = root
  let index = start + 1
  for (; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const separator = SEPARATOR.exec(line)
    const end = END.exec(line)
    const bar = BAR.exec(line)
    if (separator !== null) {
      current = { column: separator[1]?.length ?? 0, lines: [] }
      segments.push(current)
    } else if (end !== null) {
      if ((end[1]?.length ?? 0) <= rootColumn + 2) return { segments: segments.map(linesOf), end: index + 1 }
    } else if (bar !== null) {
      const column = bar[1]?.length ?? 0
      current = segments.findLast((one) => one.column === column) ?? current
      current.lines.push(bar[2] ?? '')
    } else {
      // Before Python 3.12 further lines of a message have no bar.
      current.lines.push(line)
    }
  }
  return { segments: segments.map(linesOf), end: index }
}

const linesOf = (segment: Segment): readonly string[] => segment.lines
