// What the model is told of an edit that could not be made: the file, the reason, and what to do.
import type { EditProblem, EditReason } from './edit.js'

/** What is known of a problem. */
export interface ProblemFacts {
  readonly path?: string | undefined
  readonly line: number
  readonly matches?: number
  readonly lines?: readonly number[]
  /** Real lines of the file, numbered. */
  readonly nearest?: string | undefined
  /** What else there is to say, such as the names of the files. */
  readonly detail?: string
}

const LINES_SHOWN = 10
const PATH_CHARS = 200

/** A problem with its sentence. */
export function problem(reason: EditReason, facts: ProblemFacts): EditProblem {
  const { path, line, matches, lines } = facts
  return {
    reason,
    message: messageOf(reason, facts),
    ...(path !== undefined && { path }),
    line,
    ...(matches !== undefined && { matches }),
    ...(lines !== undefined && { lines: lines.slice(0, LINES_SHOWN) }),
  }
}

function messageOf(reason: EditReason, facts: ProblemFacts): string {
  const { path, line, nearest } = facts
  const file = path === undefined ? 'the file' : clipped(path)
  const says = sentence(reason, file, facts)
  const shown =
    nearest === undefined || nearest === '' ? '' : `\nThe nearest lines of ${file} are:\n${nearest}`
  return `The edit at line ${line} of the reply${path === undefined ? '' : `, of ${clipped(path)},`} ${says}${shown}`
}

const clipped = (path: string): string => (path.length > PATH_CHARS ? `${path.slice(0, PATH_CHARS)}…` : path)

function sentence(
  reason: EditReason,
  file: string,
  { matches = 0, lines = [], detail = '' }: ProblemFacts,
): string {
  switch (reason) {
    case 'no-match':
      return `was not made: its old lines are not in ${file} (no-match). Copy them from the file as it is, exactly.${detail}`
    case 'ambiguous':
      return `was not made: its old lines fit ${matches} times, at lines ${listed(lines, matches)} (ambiguous). Add the lines above or below, so that they fit once.`
    case 'ambiguous-separator':
      return `was not made: several of its lines may be the separator between old and new text, and none divides it so that the old text fits once (ambiguous-separator). Use markers of another length, such as <<<<<<<<< SEARCH, ========= and >>>>>>>>> REPLACE.`
    case 'identical':
      return 'was not made: its old and its new text are the same (identical). Send what has to change.'
    case 'unknown-file':
      return `was not made: there is no such file (unknown-file). ${detail}`
    case 'no-path':
      return `was not made: it does not say for which file it is (no-path). Put the path on the line before it. ${detail}`
    case 'path-refused':
      return 'was not made: the path is not one within the working directory (path-refused). Use a relative path.'
    case 'file-exists':
      return `was not made: it makes a new file, and ${file} is there already (file-exists). Name the old lines that have to change.`
    case 'malformed':
      return `was not made: it is not complete (malformed). ${detail || 'A block is <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.'}`
    case 'unclosed':
      return 'was not made: it has no end, as if it was cut off (unclosed). End each block with >>>>>>> REPLACE.'
    case 'omission-placeholder':
      return `was not made: its new text leaves code out, since ${detail} would replace it (omission-placeholder). Send the complete new lines.`
    case 'too-much-work':
      return 'was not made: so many edits of so long a file are not looked for (too-much-work). Send fewer.'
    case 'no-files':
      return 'was not made: there are no files yet that it could change (no-files). Send each file whole.'
  }
}

function listed(lines: readonly number[], matches: number): string {
  const shown = lines.slice(0, LINES_SHOWN)
  return `${shown.join(', ')}${matches > shown.length ? ', …' : ''}`
}

const PROBLEMS_SHOWN = 4
const MESSAGE_CHARS = 6000

/** All problems in one message: the first in full, a few more by their first line. */
export function problemsMessage(problems: readonly EditProblem[]): string {
  const [first, ...more] = problems
  const others = more.slice(0, PROBLEMS_SHOWN - 1).map(({ message }) => `Also: ${message.split('\n', 1)[0]}`)
  const left = more.length - others.length
  const lines = [first?.message ?? '', ...others, ...(left > 0 ? [`Also: ${left} more edits.`] : [])]
  return `${lines.join('\n').slice(0, MESSAGE_CHARS)}\nNo file was changed: of the edits in a reply all are made or none. Send every edit again.`
}
