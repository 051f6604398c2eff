// The `landlock` tier's outer walls: none but another user id, where there is one to be had. The runner puts Landlock and
// the system-call filter on each program, which needs neither root nor namespaces.
import { chownSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Guarantees } from '@mendloop/core'
import { syscallFilter } from '@mendloop/core/adapter'
import { EXECUTION_MARKER, endDescendants } from '../descendants.js'
import { HOST_MARKER, hostId } from '../guardian.js'
import { createPrivateFolder, removeRoot } from '../private-folder.js'
import { dropTo } from './drop-privileges.js'
import { type Identity, returnIdentity } from './identity.js'
import { isRoot } from './machine.js'
import type { MountRoom } from './mount-room.js'
import { systemFiles, systemRoot } from './readable-paths.js'
import { RUNNER_ENVIRONMENT } from './runner-channel.js'
import { endProcessesOf } from './sweep.js'
import { temporaryFolderFor } from './temporary-folder.js'
import { veilRoom } from './veil-room.js'
import { SHM_BYTES, type Wall, type WallPlan } from './wall.js'

/**
 * @param identity - whom programs run as; undefined for this user
 * @throws Error when a veil cannot be put up, MendloopError SANDBOX_UNAVAILABLE when no folder can be had
 */
export async function buildLandlockWall(plan: WallPlan, identity: Identity | undefined): Promise<Wall> {
  const { installations, sharesNetwork } = plan
  const folder = createPrivateFolder({
    parent: temporaryFolderFor(identity),
    owner: identity,
    confined: true,
  })
  const freshRoot = join(folder.root, 'fresh')
  let room: MountRoom | undefined
  try {
    mkdirSync(freshRoot, { mode: 0o700 })
    if (identity !== undefined) chownSync(freshRoot, identity.uid, identity.gid)
    room = await veilRoom(installations.veils)
  } catch (error) {
    await removeRoot(folder.root)
    throw error
  }
  const { folders, links } = systemRoot()
  const { inside } = folder
  const execution = basename(folder.root)
  return {
    folder,
    installations,
    descriptors: 0,
    guarantees: {
      isolation: 'landlock',
      network: sharesNetwork ? 'host' : 'denied',
      files: 'allow-list',
      processes: 'signal-scope',
      descendants: 'killed',
      memory: 'per-process',
      pids: pidsOf(identity),
      disk: 'per-file',
      syscalls: 'allow-list',
    },
    setup: {
      confinement: 'landlock',
      workspace: inside.workspace,
      freshRoot,
      readOnly: [
        ...folders,
        ...Object.keys(links),
        ...systemFiles(sharesNetwork),
        ...installations.paths,
        inside.scripts,
      ],
      readWrite: [inside.home, inside.temporary],
      syscallFilter: syscallFilter({ variant: 'strict', inet: sharesNetwork }),
      network: sharesNetwork,
      tmpBytes: plan.diskBytes,
      shmBytes: SHM_BYTES,
      ownUid: identity !== undefined,
    },
    launch: (argv) => ({
      ...dropTo(identity, room?.enter ?? [], argv),
      env: RUNNER_ENVIRONMENT,
      descriptors: [],
      close: () => undefined,
    }),
    markers: { [EXECUTION_MARKER]: execution, [HOST_MARKER]: hostId },
    sweep: () =>
      identity === undefined
        ? endDescendants({ execution, folder: folder.root, abovePid: 0, elapsedMs: 0 })
        : endProcessesOf(identity),
    close: async () => {
      if (identity !== undefined) await endProcessesOf(identity)
      await removeRoot(folder.root)
      returnIdentity(identity)
    },
  }
}

/** RLIMIT_NPROC counts over a user, and does not bind root. */
function pidsOf(identity: Identity | undefined): Guarantees['pids'] {
  if (identity !== undefined) return 'per-sandbox'
  return isRoot() ? 'none' : 'per-user'
}
