// Which findings are new: matched by what is said of which line of code, since numbers move with every edit.
import { createHash } from 'node:crypto'
import { lineOf, type Texts } from './checked-program.js'
import type { Finding, FoundBy } from './finding.js'

/** Places in a message move as lines do. */
const withoutPlaces = (message: string): string => message.replace(/\b(line|column) \d+/giu, '$1 #')

/** Gives each finding its id. */
export function identified(findings: readonly FoundBy[], files: Texts): readonly Finding[] {
  return findings.map((found) => {
    const { tool, rule, message, path, line } = found
    const parts = [tool, rule, withoutPlaces(message), lineOf(files[path] ?? '', line).trim()]
    const digest = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
    return { ...found, id: `${rule}-${digest}` }
  })
}

/** Those of `now` that `before` has not, each of `before` standing for one. */
export function newAgainst(now: readonly Finding[], before: readonly Finding[]): readonly Finding[] {
  const left = new Map<string, number>()
  for (const { id } of before) left.set(id, (left.get(id) ?? 0) + 1)
  return now.filter(({ id }) => {
    const count = left.get(id) ?? 0
    if (count > 0) left.set(id, count - 1)
    return count === 0
  })
}
