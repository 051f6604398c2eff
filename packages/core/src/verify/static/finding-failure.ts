// A finding as a failure, so that it is told as any other.
import type { Candidate } from '../../contract/candidate.js'
import type { Failure } from '../../contract/verify.js'
import { excerptOf } from '../../language/excerpt.js'
import { newFailure } from '../new-failure.js'
import type { Finding } from './finding.js'

/** As of a compiler, the first ones are of use. */
const MOST_FAILURES = 10

/**
 * The failures that findings stand for, at most ten; a place that two tools complain of is told once, in the words of the
 * first.
 */
export function toFailures(findings: readonly Finding[], { files }: Pick<Candidate, 'files'>): Failure[] {
  const teller = new Map<string, string>()
  const told = findings.filter(({ path, line, column, tool }) => {
    const place = `${path}:${line}:${column}`
    if (!teller.has(place)) teller.set(place, tool)
    return teller.get(place) === tool
  })
  return told.slice(0, MOST_FAILURES).map((finding) => toFailure(finding, files))
}

function toFailure(
  { kind, message, rule, tool, path, line, column }: Finding,
  files: Candidate['files'],
): Failure {
  const [first = '', ...more] = message.split('\n')
  const named = kind === 'syntax' && tool === 'python3' ? first : `${first} (${tool} ${rule})`
  return newFailure({
    kind,
    message: [named, ...more].join('\n'),
    location: { path, line, column },
    excerpt: excerptOf(files[path] ?? '', line, { column, carets: '^' }),
  })
}
