// The list itself: its numbers against the kernel's headers of this machine, and the profile against the rules.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type OciSyscallRule, ociSeccompProfile } from '../../src/confinement/oci-seccomp-profile.js'
import { rulesFor, type SyscallRule } from '../../src/confinement/syscall-rules.js'
import { NEWEST_KNOWN_SYSCALL, SYSCALL_GROUPS, syscallsOf } from '../../src/confinement/syscalls.js'
import { hasFile, onLinux } from '../helpers/requires.js'
import { isOfKind } from '../helpers/skips.js'

const syscalls = syscallsOf(SYSCALL_GROUPS)

const HEADERS = [
  { architecture: 'x64', file: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h', only: 'x64' },
  { architecture: 'arm64', file: '/usr/include/asm-generic/unistd.h', only: process.arch },
] as const

/** Numbers by name; a name may stand for another name, as `__NR3264_lseek` does for lseek. */
function readHeader(file: string): Map<string, number> {
  const defined = new Map(
    Array.from(
      readFileSync(file, 'utf8').matchAll(/#define (__NR\w*) (\w+)/g),
      ([, name = '', value = '']) => [name, value],
    ),
  )
  const resolve = (value: string | undefined): number | undefined =>
    value === undefined || /^\d+$/.test(value)
      ? (value && Number(value)) || undefined
      : resolve(defined.get(value))
  return new Map(
    [...defined].flatMap(([name, value]): [string, number][] => {
      const number = /^\d+$/.test(value) ? Number(value) : resolve(value)
      return number === undefined ? [] : [[name.replace(/^__NR_/, ''), number]]
    }),
  )
}

describe.each(HEADERS)('numbers on $architecture', ({ architecture, file, only }) => {
  const here =
    onLinux('numbers of system calls') &&
    isOfKind(process.arch === only, `the headers for ${architecture} are those of other machines`) &&
    hasFile(file, 'linux-libc-dev')

  test.runIf(here)('are those of the kernel, for every name its header knows', () => {
    const header = readHeader(file)
    const newest = Math.max(...header.values())
    const ours = syscalls.map((syscall) => ({ name: syscall.name, number: syscall[architecture] }))
    const wrong = ours.filter(
      ({ name, number }) => number !== header.get(name) && !(number !== undefined && number > newest),
    )
    expect(wrong).toEqual([])
    expect(ours.filter(({ name }) => header.has(name)).length).toBeGreaterThan(200)
  })

  test('are each given once and none is newer than the list', () => {
    const numbers = syscalls.flatMap((syscall) => syscall[architecture] ?? [])
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(Math.max(...numbers)).toBeLessThanOrEqual(NEWEST_KNOWN_SYSCALL)
  })
})

/** Whether a rule lets these arguments through, as the kernel's filter reads it: 32 bits. */
const passes = ({ conditions }: SyscallRule, args: readonly number[]): boolean =>
  conditions.every(
    ({ index, mask, values, allow }) =>
      values.includes(Number(BigInt(args[index] ?? 0) & BigInt(mask))) === allow,
  )

/** Whether a profile does, as an engine reads it: 64 bits, any entry. */
const profilePasses = (entries: readonly OciSyscallRule[], args: readonly number[]): boolean =>
  entries.some(
    ({ action, args: comparisons = [] }) =>
      action === 'SCMP_ACT_ALLOW' &&
      comparisons.every(
        ({ index, value, valueTwo }) => (BigInt(args[index] ?? 0) & BigInt(value)) === BigInt(valueTwo),
      ),
  )

const INTERESTING = [0, 1, 2, 5, 10, 16, 17, 40, 62, 0x5412, 0x541c, 0x541a, 0x5414, 0x10000000, 0x01200011]

describe.each([
  { variant: 'strict', inet: true },
  { variant: 'strict', inet: false },
  { variant: 'runner', inet: true, namespaces: true },
] as const)('the profile for container engines of %o', (policy) => {
  const profile = ociSeccompProfile(policy)

  test.each(rulesFor(policy))('says of $syscall what the filter says', (rule) => {
    const entries = profile.syscalls.filter(({ names }) => names.includes(rule.syscall))
    const argument = fc
      .oneof(fc.constantFrom(...INTERESTING), fc.nat(0xffffffff))
      .chain((low) => fc.constantFrom(low, low + 2 ** 32, low + 2 ** 40))
    fc.assert(
      fc.property(fc.tuple(argument, argument, argument), (args) => {
        expect(profilePasses(entries, args)).toBe(passes(rule, args))
      }),
      { numRuns: 300 },
    )
  })

  test('names each other call once and refuses the rest', () => {
    const [plain] = profile.syscalls
    expect(new Set(plain?.names).size).toBe(plain?.names.length)
    expect(plain?.names).toContain('read')
    expect(plain?.names.includes('unshare')).toBe(policy.variant === 'runner')
    expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 })
  })
})
