// Static checks within the loop: what they are sure of keeps a program from being run, the rest is told.
import type { Candidate } from '../contract/candidate.js'
import type { Finding } from '../verify/static/finding.js'
import type { StaticChecks } from '../verify/static/static-checks.js'
import type { JudgedTask } from './judge-candidate.js'
import type { Progress } from './repair-progress.js'
import type { ParsedTask } from './repair-task.js'

const MOST_TOLD = 5

/** Reads `candidate` as a change of the program at hand: what that had already is nobody's news. */
export function readerFor(
  checks: StaticChecks,
  { language, files }: ParsedTask,
  candidate: Candidate,
  progress: Progress,
): NonNullable<JudgedTask['read']> {
  const { current } = progress
  return async (sandbox, signal) => {
    const { failures, findings, advisory, notes } = await checks.check({
      candidate,
      language,
      sandbox,
      signal,
      told: progress.findingsTold,
      ...(current !== undefined && { previous: current }),
      ...(files !== undefined && { files }),
    })
    const said = advisory.slice(0, MOST_TOLD).map(inWords)
    const more = advisory.length - said.length
    progress.tell(
      findings.map(({ id }) => id),
      [...said, ...(more > 0 ? [`… and ${more} more of that kind`] : []), ...notes],
    )
    return failures
  }
}

const inWords = ({ path, line, rule, message }: Finding): string => `${path}:${line}: ${message} (${rule})`
