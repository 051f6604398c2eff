// Shell scripts, run by bash: how to run them and how to read its complaints.
import type { Language } from './language.js'
import { diagnoseReport } from './reported.js'
import { readShellErrors } from './shell-errors.js'

/** Shell scripts, for bash. */
export const shell: Language = {
  id: 'shell',
  entry: 'solution.sh',
  tools: [{ name: 'bash', probe: ['bash', '--version'], remedy: 'apt-get install bash' }],
  recipe: ({ entry }) => ({ run: { argv: ['bash', entry] } }),
  diagnose: (execution, candidate) => diagnoseReport(readShellErrors, execution, candidate),
}
