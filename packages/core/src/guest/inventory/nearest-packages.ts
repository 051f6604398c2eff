// Which installed packages a missing one may have meant.
import { editDistance } from '../../contract/option-hints.js'
import type { InstalledPackage, Inventory } from './inventory-facts.js'

/**
 * The installed Python packages whose name, or a name they are imported by, is near to `module`; the nearest first, and
 * none when nothing is near.
 *
 * @param module - as the program imports it; of `panda.core` the first part counts
 * @param most - how many at most. Default 3.
 */
export function nearestPackages(
  { python }: Inventory,
  module: string,
  most = 3,
): readonly InstalledPackage[] {
  const wanted = normal(module.split('.')[0] ?? '')
  if (wanted === '') return []
  return (python?.packages ?? [])
    .map((one) => ({ one, distance: distanceTo(one, wanted) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || a.one.name.localeCompare(b.one.name))
    .slice(0, most)
    .map(({ one }) => one)
}

/** Case and the sign between words do not count: PEP 503. */
const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** Undefined when it is not near: a third of the letters may differ, or one name begins with the whole of the other. */
function distanceTo({ name, imports }: InstalledPackage, wanted: string): number | undefined {
  const distances = [name, ...imports].map(normal).flatMap((known) => {
    const distance = editDistance(known, wanted)
    if (distance <= Math.floor(Math.min(known.length, wanted.length) / 3)) return [distance]
    const [short, long] = known.length < wanted.length ? [known, wanted] : [wanted, known]
    return short.length >= 4 && long.startsWith(short) ? [distance] : []
  })
  return distances.length === 0 ? undefined : Math.min(...distances)
}
