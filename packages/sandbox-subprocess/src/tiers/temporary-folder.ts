// Where a folder can be made that the sandbox's user can come to.
import { tmpdir } from 'node:os'
import { MendloopError } from '@mendloop/core'
import type { Owner } from '../open-within.js'
import { closedFolder } from './veil.js'

/** @throws MendloopError SANDBOX_UNAVAILABLE when there is none */
export function temporaryFolderFor(owner: Owner | undefined): string {
  if (owner === undefined) return tmpdir()
  const found = [tmpdir(), '/tmp', '/var/tmp'].find((path) => closedFolder(path) === undefined)
  if (found !== undefined) return found
  const reason = `${tmpdir()} can be entered by its owner only`
  throw new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): ${reason}, and programs run as a user of their own. Set TMPDIR to a folder that everybody may enter.`,
    { details: { sandbox: 'subprocess', reason } },
  )
}
