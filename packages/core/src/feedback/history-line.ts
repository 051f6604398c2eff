// One turn in one line, for the history that the model gets with the next prompt.
import type { Attempt } from '../contract/loop.js'
import { cleanerFor } from './clean-text.js'
import { clipLine } from './quote-text.js'
import { countHeldOut } from './verdict-text.js'

const MESSAGE_CHARS = 200
const NAMES_CHARS = 300

/** What became of an attempt: its first failure, which visible checks fail, and of held-out ones only how many. */
export function historyLine(attempt: Attempt): string {
  const { passed, verdicts, failures, candidate, execution } = attempt
  const subject = attempt.attempt === 0 ? 'the program as given' : `attempt ${attempt.attempt}`
  if (passed) return `${subject}: every check passed`
  const clean = cleanerFor({ candidate, execution })
  const names = verdicts
    .filter(({ visibility, status }) => visibility === 'visible' && status !== 'pass')
    .map(({ name }) => name)
  const heldOut = countHeldOut(verdicts)
  const checks = [
    ...(names.length === 0 ? [] : [`failing: ${clipLine(clean(names.join(', ')), NAMES_CHARS)}`]),
    ...(heldOut === undefined || heldOut.failed === 0
      ? []
      : [`${heldOut.failed} of ${heldOut.total} hidden checks failed`]),
  ]
  const first = failures[0]
  const said = first === undefined ? [] : [clipLine(firstLine(clean(first.message)), MESSAGE_CHARS)]
  if (said.length === 0) return `${subject}: ${checks.join('; ') || 'failed'}`
  return `${subject}: ${said[0]}${checks.length === 0 ? '' : ` (${checks.join('; ')})`}`
}

const firstLine = (text: string): string => text.trimStart().split(/[\n\u2028\u2029]/u)[0] ?? ''
