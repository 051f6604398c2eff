// How a command line comes to run as the sandbox's own user, without a capability left.
import type { Identity } from './identity.js'
import { findTool, hasCapabilities } from './machine.js'

/**
 * @param enter - start of the command line that goes into a mount namespace, for which root's rights are still needed
 * @returns what to start, and whom Node is to start it as
 */
export function dropTo(
  identity: Identity | undefined,
  enter: readonly string[],
  argv: readonly string[],
): { argv: readonly string[]; identity: Identity | undefined } {
  if (identity === undefined) return { argv: [...enter, ...argv], identity: undefined }
  const setpriv = findTool('setpriv')
  // Without setpriv Node can change the user; capabilities go with the exec that follows.
  if (setpriv === undefined && enter.length === 0) return { argv, identity }
  if (setpriv === undefined) throw new Error('there is no "setpriv" here (apt install util-linux)')
  const { uid, gid } = identity
  const bounding = hasCapabilities('setpcap') ? ['--bounding-set', '-all'] : []
  const drop = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--no-new-privs']
  return {
    argv: [...enter, setpriv, ...drop, '--inh-caps', '-all', ...bounding, '--', ...argv],
    identity: undefined,
  }
}
