// Open files that this process was started with and that its children would inherit.
import { openSync, readdirSync, readFileSync } from 'node:fs'

const O_CLOEXEC = 0o2000000

/** Descriptors above 2 that an exec would not close. Linux only; elsewhere none are known. */
function leakyDescriptors(): number[] {
  if (process.platform !== 'linux') return []
  return namesIn('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor))
}

function closesOnExec(descriptor: number): boolean {
  try {
    const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1]
    return flags === undefined || (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0
  } catch {
    return true
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

let devNull: number | undefined

/**
 * Entries for `stdio` from descriptor 3 on that put /dev/null in the place of every leaky one: libuv closes only what
 * it opened itself, and `'ignore'` there closes nothing.
 */
export function coverInheritedDescriptors(): (number | 'ignore')[] {
  const leaky = leakyDescriptors()
  if (leaky.length === 0) return []
  devNull ??= openSync('/dev/null', 'r+')
  const stdio: (number | 'ignore')[] = Array(Math.max(...leaky) - 2).fill('ignore')
  for (const descriptor of leaky) stdio[descriptor - 3] = devNull
  return stdio
}
