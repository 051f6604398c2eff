// The `namespaces` tier's outer walls: bubblewrap, in a mount namespace that holds the workspace as a file system of its
// own. The host comes to it through an open folder, so nothing of it is ever on the disk.
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syscallFilter } from '@mendloop/core/adapter'
import { createPrivateFolder, createRoot, type PrivateFolder, removeRoot } from '../private-folder.js'
import { type BubblewrapWall, bubblewrapArguments, INSIDE } from './bubblewrap-arguments.js'
import { dropTo } from './drop-privileges.js'
import { type Identity, returnIdentity } from './identity.js'
import { findTool } from './machine.js'
import { type MountRoom, openMountRoom } from './mount-room.js'
import { systemFiles, systemRoot } from './readable-paths.js'
import { RUNNER_ENVIRONMENT } from './runner-channel.js'
import { temporaryFolderFor } from './temporary-folder.js'
import { quoted } from './veil.js'
import { veilRoom } from './veil-room.js'
import { SHM_BYTES, type Wall, type WallPlan } from './wall.js'

/** A file takes a page at least; trees of many small ones fit as well. */
const BYTES_A_FILE = 4096
const FEWEST_FILES = 8192

/** Folders in the workspace's file system. */
const PARTS = { workspace: 'work', home: 'home', scripts: 'scripts', hosts: 'hosts' } as const
/** All hosts that there are where there is no network. */
const LOOPBACK = '127.0.0.1 localhost\n::1 localhost\n'

/**
 * @param identity - whom programs run as outside; undefined for this user
 * @throws Error with the complaint of the tool that failed
 */
export async function buildNamespacesWall(plan: WallPlan, identity: Identity | undefined): Promise<Wall> {
  const bwrap = findTool('bwrap')
  if (bwrap === undefined) throw new Error('there is no "bwrap" here')
  const { installations, sharesNetwork } = plan
  const place = await makePlace(plan, identity)
  const { folders, links } = systemRoot()
  const readOnly = [...folders, ...systemFiles(sharesNetwork), ...installations.paths]
  return {
    folder: place.folder,
    installations,
    descriptors: 1,
    guarantees: {
      isolation: 'namespaces',
      network: sharesNetwork ? 'host' : 'denied',
      files: 'private-root',
      processes: 'own-namespace',
      descendants: 'killed',
      memory: 'per-process',
      pids: 'per-sandbox',
      disk: place.bounded ? 'bounded' : 'per-file',
      syscalls: 'allow-list',
    },
    setup: {
      confinement: 'namespaces',
      workspace: INSIDE.workspace,
      readOnly,
      // A fresh execution has its home in its own /tmp.
      hidden: [INSIDE.home],
      syscallFilter: syscallFilter({ variant: 'strict', inet: true, namespaces: true }),
      tmpBytes: plan.diskBytes,
      shmBytes: SHM_BYTES,
      ownUid: identity !== undefined,
    },
    launch: (argv) => {
      const filter = openFilter(place.folder.root)
      const wall = bubblewrapArguments({
        readOnly,
        links,
        folders: place.mounted,
        tmpBytes: plan.diskBytes,
        shmBytes: SHM_BYTES,
        sharesNetwork,
        filterDescriptor: 3,
      })
      return {
        ...dropTo(identity, place.enter, [bwrap, ...wall, '--', ...argv]),
        // bubblewrap is process 1 inside, and its variables can be read there.
        env: RUNNER_ENVIRONMENT,
        descriptors: [filter],
        close: () => closeSync(filter),
      }
    },
    // The first process of the namespace was the runner's parent: with it all are gone.
    markers: {},
    sweep: () => Promise.resolve(true),
    close: async () => {
      await place.close()
      returnIdentity(identity)
    },
  }
}

/** The runner's own filter as an open file; bubblewrap reads it to its end. */
function openFilter(root: string): number {
  const path = join(root, 'filter.bpf')
  writeFileSync(path, syscallFilter({ variant: 'runner', inet: true, namespaces: true }), { mode: 0o600 })
  try {
    return openSync(path, 'r')
  } finally {
    rmSync(path, { force: true })
  }
}

/** Where the workspace is. */
interface Place {
  readonly folder: PrivateFolder
  /** Its parts under the names that bubblewrap finds them by. */
  readonly mounted: BubblewrapWall['folders']
  readonly bounded: boolean
  readonly enter: readonly string[]
  close(): Promise<void>
}

/** A file system of its own in memory; where none can be mounted, a folder on the disk. */
async function makePlace(plan: WallPlan, identity: Identity | undefined): Promise<Place> {
  const root = createRoot(temporaryFolderFor(identity))
  let room: MountRoom
  try {
    room = await openMountRoom([placeOrder(root, plan)], await veilRoom(plan.installations.veils))
  } catch (error) {
    await removeRoot(root)
    if (plan.installations.veils.length > 0) throw error
    return placeOnDisk(identity)
  }
  const mounted = {
    workspace: join(root, PARTS.workspace),
    home: join(root, PARTS.home),
    scripts: join(root, PARTS.scripts),
    hosts: join(root, PARTS.hosts),
  }
  let descriptor: number | undefined
  const close = async (): Promise<void> => {
    if (descriptor !== undefined) closeSync(descriptor)
    await room.close()
    await removeRoot(root)
  }
  try {
    descriptor = openSync(room.address(root), 'r')
    // The dot: an open folder is a link in the eyes of the system.
    const own = `/proc/self/fd/${descriptor}/.`
    const workspace = `${own}/${PARTS.workspace}`
    const scripts = `${own}/${PARTS.scripts}`
    const home = `${own}/${PARTS.home}`
    for (const path of [workspace, home]) {
      mkdirSync(path, { mode: 0o700 })
      if (identity !== undefined) chownSync(path, identity.uid, identity.gid)
    }
    mkdirSync(scripts)
    // Whatever the umask says.
    chmodSync(scripts, 0o711)
    writeHosts(`${own}/${PARTS.hosts}`)
    const folder: PrivateFolder = {
      root: own,
      workspace,
      scripts,
      writable: [workspace, home],
      inside: INSIDE,
      owner: identity,
    }
    return {
      folder,
      mounted,
      bounded: true,
      enter: room.enter,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function writeHosts(path: string): void {
  writeFileSync(path, LOOPBACK)
  chmodSync(path, 0o444)
}

function placeOrder(root: string, { diskBytes }: WallPlan): string {
  const files = Math.max(FEWEST_FILES, Math.ceil(diskBytes / BYTES_A_FILE))
  return `mount -t tmpfs -o size=${diskBytes},nr_inodes=${files},mode=0711,nosuid,nodev mendloop ${quoted(root)}`
}

function placeOnDisk(identity: Identity | undefined): Place {
  const folder = createPrivateFolder({
    parent: temporaryFolderFor(identity),
    owner: identity,
    confined: true,
  })
  const { workspace, home, scripts } = folder.inside
  const hosts = join(folder.root, PARTS.hosts)
  writeHosts(hosts)
  return {
    folder: { ...folder, inside: INSIDE },
    mounted: { workspace, home, scripts, hosts },
    bounded: false,
    enter: [],
    close: () => removeRoot(folder.root),
  }
}
