// Which of the files there are an edit is for.
import { type Edit, type EditHunk, type EditProblem, makesFile, side } from './edit.js'
import { problem } from './edit-problem.js'

/** A path, or why there is none. */
export interface ResolvedPath {
  readonly path?: string
  readonly problem?: EditProblem
  /** The reply did not say it in so many words. */
  readonly isGuess: boolean
}

const FILES_SHOWN = 20
/** Files that an edit without a path is tried on. */
const TRIED_AT_MOST = 50

/**
 * The file of an edit: the one it names; of a known file, its end is enough when no other has it. An edit that names none
 * is for the only file, or for the only one into which it fits.
 *
 * @param gone - files that edits before this one have deleted or moved
 */
export function resolvePath(
  edit: Edit,
  paths: readonly string[],
  gone: readonly string[],
  fits: (path: string, hunk: EditHunk) => boolean,
): ResolvedPath {
  const { path, line } = edit
  if (path === undefined) return withoutPath(edit, paths, fits)
  if (paths.includes(path) || makesFile(edit, false)) return { path, isGuess: false }
  if (paths.length === 0) return refused(problem('no-files', { path, line }))
  // Old lines have to fit, so a guess does no harm; without any there is nothing that could speak against it.
  const canGuess = edit.change !== 'delete' && !gone.includes(path) && edit.hunks.some(hasOldLines)
  const alike = paths.filter((one) => one.endsWith(`/${path}`) || path.endsWith(`/${one}`))
  const [similar, ...others] = canGuess ? alike : []
  if (similar !== undefined && others.length === 0) return { path: similar, isGuess: true }
  return refused(problem('unknown-file', { path, line, detail: filesText(paths) }))
}

function withoutPath(
  edit: Edit,
  paths: readonly string[],
  fits: (path: string, hunk: EditHunk) => boolean,
): ResolvedPath {
  const { line, hunks } = edit
  if (makesFile(edit, false)) return refused(problem('no-path', { line, detail: '' }))
  const [only] = paths
  if (only === undefined) return refused(problem('no-files', { line }))
  if (paths.length === 1) return { path: only, isGuess: false }
  const first = hunks[0]
  const fitting =
    first === undefined || !hasOldLines(first)
      ? []
      : paths.slice(0, TRIED_AT_MOST).filter((path) => fits(path, first))
  const [found, ...others] = fitting
  if (found !== undefined && others.length === 0 && paths.length <= TRIED_AT_MOST)
    return { path: found, isGuess: true }
  return refused(problem('no-path', { line, detail: filesText(paths) }))
}

/** True when a change names lines that have to be there. */
const hasOldLines = ({ readings }: EditHunk): boolean =>
  readings.some((reading) => side(reading, 'old').some((line) => line.trim() !== ''))

const refused = (wrong: EditProblem): ResolvedPath => ({ problem: wrong, isGuess: false })

function filesText(paths: readonly string[]): string {
  const shown = paths.slice(0, FILES_SHOWN).map((path) => path.slice(0, 120))
  return `The files are: ${shown.join(', ')}${paths.length > shown.length ? `, and ${paths.length - shown.length} more` : ''}.`
}
