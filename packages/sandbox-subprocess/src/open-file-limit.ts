// A process that may open few files only: what fails for it then is said in strange words.
import { ownLimit } from './own-limits.js'
import { errorCode, inWords } from './system-error.js'

/** With control groups a sandbox takes about a hundred descriptors, and its runner has numbers up to 250. */
const ENOUGH_OPEN_FILES = 512

/** What to do about it, as sentences. */
export const OPEN_FILES_REMEDY = `This process may open too few files. Raise its limit to ${ENOUGH_OPEN_FILES} or more (ulimit -n, or a container's --ulimit nofile), or close some.`

/** True when the limit of open files is why this was thrown. A descriptor of a number above it is "invalid". */
export function isForWantOfFiles(thrown: unknown): boolean {
  const words = `${errorCode(thrown)} ${inWords(thrown)}`
  if (/EMFILE|Too many open files/.test(words)) return true
  return /EINVAL|Invalid argument/.test(words) && ownLimit('open files') < ENOUGH_OPEN_FILES
}
