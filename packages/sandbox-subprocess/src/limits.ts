// Which limits a plain child process can be held to, and how.
import {
  DEFAULT_LIMITS,
  type Guarantees,
  type Limits,
  MendloopError,
  type NetworkPolicy,
} from '@mendloop/core'
import { cpuSeconds, invalidOption } from '@mendloop/core/adapter'

const posix = process.platform !== 'win32'
// macOS accepts RLIMIT_DATA and does not count what malloc maps.
const boundsMemory = process.platform === 'linux'

/** What the process tier enforces on this machine. */
export const processGuarantees: Guarantees = Object.freeze({
  isolation: 'process',
  network: 'host',
  files: 'same-user',
  processes: 'none',
  descendants: 'best-effort',
  memory: boundsMemory ? 'per-process' : 'none',
  pids: 'none',
  disk: posix ? 'per-file' : 'none',
  syscalls: 'none',
})

/** Limits that cannot be had, each with what would enforce it. */
export type Unenforced = Partial<Record<keyof Limits, string>>

const CONTAINER = 'a container sandbox enforces it'
const rlimitRemedy = `Linux enforces it; elsewhere ${CONTAINER}`

/** Limits that the process tier does not enforce here. */
export const processUnenforced: Unenforced = {
  processes: `the "landlock" or "namespaces" tier or ${CONTAINER}`,
  diskBytes: `the "namespaces" tier or ${CONTAINER}; "fileBytes" bounds single files here`,
  ...(boundsMemory ? {} : { memoryBytes: rlimitRemedy }),
  ...(posix ? {} : { cpuMs: rlimitRemedy, openFiles: rlimitRemedy, fileBytes: rlimitRemedy }),
}

/**
 * Refuses limits that were asked for and cannot be enforced; defaults are not asked for.
 *
 * @throws MendloopError SANDBOX_UNSUPPORTED
 */
export function requireEnforceable(
  asked: Partial<Limits> | undefined,
  tier: Guarantees['isolation'],
  unenforced: Unenforced,
): void {
  for (const key of Object.keys(unenforced) as (keyof Limits)[])
    if (asked?.[key] !== undefined) throw unsupported(tier, `limits.${key}`, unenforced[key] ?? CONTAINER)
}

/** Below these no program starts, or no sandbox opens: the loader maps libraries, a file system has pages of up to 64 KiB. */
const LEAST = { memoryBytes: 1024 * 1024, diskBytes: 128 * 1024 } as const

/**
 * Refuses limits with which nothing can be started, which would be told in the words of whatever fails first.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function requireStartable(asked: Partial<Limits> | undefined, owner: string): void {
  for (const key of ['memoryBytes', 'diskBytes'] as const) {
    const bytes = asked?.[key] ?? LEAST[key]
    if (bytes < LEAST[key])
      throw invalidOption(owner, `limits.${key}`, `must be at least ${LEAST[key]}`, {
        expected: `at least ${LEAST[key]} bytes`,
        received: String(bytes),
      })
  }
}

/**
 * Refuses another size of the workspace for one execution: it is that of the sandbox.
 *
 * @throws MendloopError SANDBOX_UNSUPPORTED
 */
export function requireSameDisk(asked: number | undefined, own: number, tier: Guarantees['isolation']): void {
  if (asked === undefined || asked === own) return
  throw unsupported(tier, 'limits.diskBytes for one execution', `create({ limits: { diskBytes: ${asked} } })`)
}

/**
 * Refuses a network policy that cannot be kept: a list of hosts anywhere, and no network where it cannot be closed.
 *
 * @throws MendloopError SANDBOX_UNSUPPORTED
 */
export function requireKeepable(policy: NetworkPolicy | undefined, tier: Guarantees['isolation']): void {
  if (policy?.mode === 'allow') throw unsupported(tier, 'network "allow"', CONTAINER)
  if (policy?.mode === 'none' && tier === 'process')
    throw unsupported(tier, 'network "none"', `a stronger tier or ${CONTAINER}`)
}

/** The error for what was asked of a tier that cannot do it. */
const unsupported = (
  tier: Guarantees['isolation'],
  requested: string,
  remedy: string,
): MendloopError<'SANDBOX_UNSUPPORTED'> =>
  new MendloopError(
    'SANDBOX_UNSUPPORTED',
    `The "${tier}" tier of subprocess() cannot enforce ${requested} on this machine. Leave it out, or use something else: ${remedy}.`,
    { details: { requested, remedy } },
  )

/** Limits laid over each other, the last one on top of the defaults. */
export const mergeLimits = (...layers: (Partial<Limits> | undefined)[]): Limits =>
  Object.assign({ ...DEFAULT_LIMITS }, ...layers.map(definedOnly))

/** A key that is present and undefined asks for nothing. */
const definedOnly = (layer: Partial<Limits> = {}): Partial<Limits> =>
  Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined))

/**
 * The shell program that sets the limits and then becomes the command given as its arguments.
 *
 * Memory is RLIMIT_DATA (`-d`), not RLIMIT_AS (`-v`): Node and the JVM reserve far more address space than they use
 * and do not start under 512 MiB of the latter. A limit that cannot be set is stricter already, so errors are dropped.
 */
export function limitScript(limits: Limits): string {
  const orders = [
    'ulimit -c 0',
    // POSIX: in units of 512 bytes. The rest in KiB.
    `ulimit -f ${Math.ceil(limits.fileBytes / 512)}`,
    `ulimit -n ${limits.openFiles}`,
  ]
  if (boundsMemory) orders.push(`ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`)
  if (limits.cpuMs !== undefined) {
    const { soft, hard } = cpuSeconds(limits.cpuMs)
    // Both limits first: a hard one below the soft one is refused.
    orders.push(`ulimit -t ${hard}`, `ulimit -S -t ${soft}`)
  }
  return `{ ${orders.join('; ')}; } 2>/dev/null; exec "$@"`
}
