// The guarantees of a sandbox that is none.
import type { Guarantees } from '../contract/sandbox.js'

/** What a double claims: nothing. */
export const NOTHING_ENFORCED: Guarantees = {
  isolation: 'process',
  network: 'host',
  files: 'same-user',
  processes: 'none',
  descendants: 'best-effort',
  memory: 'none',
  pids: 'none',
  disk: 'none',
  syscalls: 'none',
}
