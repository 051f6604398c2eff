// Shell scripts, run by bash: how to run them and how to read its complaints.
import type { Candidate } from '../contract/candidate.js'
import type { Failure } from '../contract/verify.js'
import { asArgument } from './build-folder.js'
import { fingerprintOf } from './fingerprint.js'
import type { Language } from './language.js'
import { diagnoseReport } from './reported.js'
import { readShellErrors } from './shell-errors.js'

/** Shell scripts, for bash. */
export const shell: Language = {
  id: 'shell',
  entry: 'solution.sh',
  tools: [{ name: 'bash', probe: ['bash', '--version'], remedy: 'apt-get install bash' }],
  recipe: ({ entry }) => ({ run: { argv: ['bash', asArgument(entry)] } }),
  diagnose: (execution, candidate) =>
    diagnoseReport(readShellErrors, execution, candidate).map((failure) => withLineEnds(failure, candidate)),
}

/** Says of a script with Windows line ends that it has them: bash takes each for a part of the last word, unseen. */
function withLineEnds(failure: Failure, candidate: Candidate | undefined): Failure {
  const path = failure.location?.path
  if (path === undefined || candidate?.files[path]?.includes('\r\n') !== true) return failure
  const message = `${failure.message}\n${path} has Windows line ends (CR LF); bash needs LF alone.`
  return { ...failure, message, fingerprint: fingerprintOf({ ...failure, message }) }
}
