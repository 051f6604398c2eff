// Finds lines from a place on, so that reading a report of many parts stays linear.

/** Index of the first line at or behind `from` for which `test` holds; the number of lines when there is none. */
export function nextLine(lines: readonly string[], from: number, test: (line: string) => boolean): number {
  let index = from
  while (index < lines.length && !test(lines[index] ?? '')) index++
  return index
}
