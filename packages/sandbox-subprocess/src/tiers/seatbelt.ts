// The `seatbelt` tier of macOS: a child process of its own for each program, started by sandbox-exec.
import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import type { Guarantees } from '@mendloop/core'
import { coverInheritedDescriptors } from '../inherited-descriptors.js'
import { interpreterFolders } from '../interpreter.js'
import { processGuarantees } from '../limits.js'
import { createPrivateFolder } from '../private-folder.js'
import { ProcessEngine } from '../process-engine.js'
import { installationOf } from './readable-paths.js'
import { seatbeltProfile } from './seatbelt-profile.js'

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** What is asked of it. */
export interface SeatbeltRequest {
  readonly python?: string | undefined
  readonly sharesNetwork: boolean
  /** What the self-test found; undefined for the self-test's own. */
  readonly tested?: Guarantees
}

/** @throws MendloopError SANDBOX_UNAVAILABLE */
export async function openSeatbeltEngine(request: SeatbeltRequest): Promise<ProcessEngine> {
  const { python, sharesNetwork, tested } = request
  const folders = await interpreterFolders(python)
  const installed = folders.flatMap((bin) => installationOf(`${bin}/python3`)?.path ?? [])
  const folder = createPrivateFolder()
  const profile = seatbeltProfile({
    readOnly: [...installed, ...folders.filter((path) => path !== homedir())],
    writable: [folder.root],
    sharesNetwork,
  })
  const claimed: Guarantees = {
    ...processGuarantees,
    isolation: 'seatbelt',
    network: 'denied',
    files: 'allow-list',
    processes: 'signal-scope',
  }
  const guarantees = { ...(tested ?? claimed), ...(sharesNetwork && ({ network: 'host' } as const)) }
  return new ProcessEngine(`subprocess-${randomBytes(6).toString('hex')}`, folder, {
    python,
    guarantees,
    covered: coverInheritedDescriptors(),
    wrapper: [SANDBOX_EXEC, '-p', profile],
  })
}
