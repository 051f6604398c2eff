// The mount namespace in which the veils are up: one for all sandboxes of this process that need the same ones.
import { createRoot, removeRoot } from '../private-folder.js'
import { type MountRoom, openMountRoom } from './mount-room.js'
import { type Veil, veilOrders } from './veil.js'

const rooms = new Map<string, Promise<MountRoom>>()

/**
 * The room for these veils, or undefined where there are none. It stays for as long as this process lives.
 *
 * @throws Error with the complaint of what failed
 */
export async function veilRoom(veils: readonly Veil[]): Promise<MountRoom | undefined> {
  if (veils.length === 0) return undefined
  const key = JSON.stringify(veils)
  const room = rooms.get(key) ?? openVeilRoom(veils)
  rooms.set(key, room)
  const forget = (): void => {
    if (rooms.get(key) === room) rooms.delete(key)
  }
  room.then(({ gone }) => gone.then(forget), forget)
  return room
}

async function openVeilRoom(veils: readonly Veil[]): Promise<MountRoom> {
  const aside = createRoot()
  try {
    return await openMountRoom(veilOrders(veils, aside))
  } finally {
    await removeRoot(aside)
  }
}
