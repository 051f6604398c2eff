// What each promise of a tier needs of the machine, in words for the one who has to provide it.
import type { Guarantees } from '@mendloop/core'
import type { IsolationTier } from '../options.js'

/** A property and what would make it hold. */
export interface TierRequirement {
  readonly property: keyof Guarantees
  readonly remedy: string
}

const LANDLOCK_KERNEL =
  'it needs Linux 6.12 or later with Landlock in CONFIG_LSM (see /sys/kernel/security/lsm), and a container engine whose seccomp profile lets landlock_* through (Docker 23 or later does)'

const REMEDIES: Readonly<Record<IsolationTier, Partial<Record<keyof Guarantees, string>>>> = {
  namespaces: {
    isolation:
      'install bubblewrap and util-linux (apt install bubblewrap util-linux) and allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 on Debian, kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu); in a container, run it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or use the "landlock" tier',
    network: 'allow network namespaces (sysctl user.max_net_namespaces above 0)',
    syscalls: 'use a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64',
  },
  landlock: {
    isolation: LANDLOCK_KERNEL,
    files: LANDLOCK_KERNEL,
    processes: 'the scope of signals needs Linux 6.12 or later (Landlock ABI 6)',
    descendants: 'ending all that was started needs Linux 6.12 or later (Landlock ABI 6)',
    network: 'use a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64',
    syscalls: 'use a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64',
  },
  seatbelt: { isolation: 'it needs macOS with /usr/bin/sandbox-exec' },
  process: {},
}

/** What `tier` needs for `property`. */
export const requirementOf = (tier: IsolationTier, property: keyof Guarantees): TierRequirement => ({
  property,
  remedy: REMEDIES[tier][property] ?? REMEDIES[tier].isolation ?? 'a container sandbox has it',
})
