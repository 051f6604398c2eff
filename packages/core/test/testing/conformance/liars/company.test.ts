// Liars about executions side by side.
import type { ExecutionResult } from '../../../../src/contract/execution.js'
import { catchLiars } from '../../../helpers/liars.js'

const ALONE = 'leaves a program alone when one beside it is ended'

catchLiars(
  'company',
  [
    {
      who: 'gives one program what another printed',
      caughtBy: 'runs four programs side by side in one sandbox without mixing them',
      lie: (sandbox) => {
        let last: Promise<ExecutionResult> | undefined
        return {
          async exec(command, options) {
            const before = last
            last = sandbox.exec(command, options)
            const result = await last
            return before === undefined ? result : { ...result, stdout: (await before).stdout }
          },
        }
      },
    },
    {
      who: 'ends all programs when it ends one',
      caughtBy: ALONE,
      lie: (sandbox) => {
        const all = new AbortController()
        return {
          async exec(command, options = {}) {
            options.signal?.addEventListener('abort', () => all.abort(), { once: true })
            return sandbox.exec(command, { ...options, signal: all.signal })
          },
        }
      },
    },
    {
      who: 'claims that nothing of one is seen by another',
      caughtBy: 'shows nothing of one sandbox in another',
      lie: (sandbox) => ({ guarantees: { ...sandbox.guarantees, files: 'allow-list' } }),
    },
  ],
  { slow: [ALONE] },
)
