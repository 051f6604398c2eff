// Shows a user one folder of somebody's closed home and nothing else of it: an interpreter that was installed there.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** A folder that only its owner may enter, and what is to be seen of it. */
export interface Veil {
  /** The closed folder. */
  readonly over: string
  /** Folders and files in it that stay where they are, read-only. */
  readonly shown: readonly string[]
}

/** The topmost folder above `path`, or `path` itself, that a user without any rights of its own cannot enter. */
export function closedFolder(path: string): string | undefined {
  const above = dirname(path)
  const closedAbove = above === path ? undefined : closedFolder(above)
  if (closedAbove !== undefined) return closedAbove
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const needed = stats.isDirectory() ? 0o001 : 0o004
  return (stats.mode & needed) === needed ? undefined : path
}

/**
 * The veils that let a user see `paths`.
 *
 * @throws Error naming the path that no veil can show, because it is closed itself
 */
export function veilsFor(paths: readonly string[]): Veil[] {
  const shown = new Map<string, string[]>()
  for (const path of paths) {
    const closed = closedFolder(path)
    if (closed === path) throw new Error(`${path} may be read by its owner only`)
    if (closed !== undefined) shown.set(closed, [...(shown.get(closed) ?? []), path])
  }
  return [...shown].map(([over, inside]) => ({ over, shown: withoutNested(inside) }))
}

const withoutNested = (paths: readonly string[]): string[] => {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => path.startsWith(`${other}/`)))
}

/**
 * Shell orders that put the veils up, for a mount namespace of its own.
 *
 * @param aside - an empty folder of the caller's, for what has to be out of the way meanwhile
 */
export function veilOrders(veils: readonly Veil[], aside: string): string[] {
  return veils.flatMap(({ over, shown }) => [
    ...shown.flatMap((path, index) => {
      const held = quoted(`${aside}/${index}`)
      return [madeLike(path, held), `mount --bind ${quoted(path)} ${held}`]
    }),
    `mount -t tmpfs -o mode=0755,size=1m,nr_inodes=256,nosuid,nodev mendloop ${quoted(over)}`,
    ...shown.flatMap((path, index) => {
      const held = quoted(`${aside}/${index}`)
      const target = quoted(path)
      return [
        `mkdir -p ${quoted(dirname(path))}`,
        madeLike(path, target, held),
        `mount --bind ${held} ${target}`,
        `mount -o remount,bind,ro,nosuid,nodev ${target}`,
        `umount ${held}`,
      ]
    }),
    `mount -o remount,ro,nosuid,nodev ${quoted(over)}`,
  ])
}

/** Makes the place of a mount: a folder for a folder, a file for a file. */
function madeLike(original: string, target: string, seenAs = quoted(original)): string {
  return `if [ -d ${seenAs} ]; then mkdir -p ${target}; else : > ${target}; fi`
}

/** One word for the shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
