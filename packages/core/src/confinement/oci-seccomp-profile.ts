// A policy of system calls as the JSON that Docker and Podman take; made from the same list as the kernel's filter.
import { z } from 'zod'
import { parseOptions } from '../contract/options.js'
import { syscallPolicyShape } from './syscall-filter.js'
import {
  type ArgumentCondition,
  EPERM,
  groupsFor,
  rulesFor,
  type SyscallPolicy,
  type SyscallRule,
} from './syscall-rules.js'
import { syscallsOf } from './syscalls.js'

/** A seccomp profile of the OCI runtime specification, as `--security-opt seccomp=` takes it. */
export interface OciSeccompProfile {
  /** What happens to a call that is not listed. */
  readonly defaultAction: 'SCMP_ACT_ERRNO'
  /** The error it answers. */
  readonly defaultErrnoRet: number
  /** Calls of any other architecture end the process. */
  readonly architectures: readonly string[]
  /** Calls that are allowed, or refused with an error of their own. */
  readonly syscalls: readonly OciSyscallRule[]
}

/** One entry of a profile. Entries for one call stand beside each other: it is allowed when any of them allows it. */
export interface OciSyscallRule {
  /** Which calls. */
  readonly names: readonly string[]
  /** What happens. */
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  /** The error, for `SCMP_ACT_ERRNO`. */
  readonly errnoRet?: number
  /** What its arguments must be; all of them. */
  readonly args?: readonly OciArgument[]
}

/** One comparison: `argument & value === valueTwo`. */
export interface OciArgument {
  /** Counted from 0. */
  readonly index: number
  /** The mask. */
  readonly value: number
  /** What must be left. */
  readonly valueTwo: number
  /** The only comparison used: the others look at 64 bits, of which the kernel reads 32. */
  readonly op: 'SCMP_CMP_MASKED_EQ'
}

const optionsSchema: z.ZodType<SyscallPolicy> = z.strictObject(syscallPolicyShape)

/**
 * The profile of a policy. A container has namespaces of its own, so `namespaces: true` is right there.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function ociSeccompProfile(options: SyscallPolicy): OciSeccompProfile {
  const policy = parseOptions(optionsSchema, options, 'ociSeccompProfile()')
  const rules = rulesFor(policy)
  const ruled = new Set(rules.map(({ syscall }) => syscall))
  const names = syscallsOf(groupsFor(policy)).map(({ name }) => name)
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
    syscalls: [
      { names: names.filter((name) => !ruled.has(name)), action: 'SCMP_ACT_ALLOW' },
      ...rules.flatMap(toEntries),
    ],
  }
}

/** A call that no argument makes right is refused with its own error; any other falls to the default of the profile. */
function toEntries({ syscall, conditions, errorNumber }: SyscallRule): OciSyscallRule[] {
  const combinations = conditions
    .map(toComparisons)
    .reduce<readonly OciArgument[][]>(
      (before, comparisons) => before.flatMap((args) => comparisons.map((one) => [...args, one])),
      [[]],
    )
  if (combinations.length === 0)
    return [{ names: [syscall], action: 'SCMP_ACT_ERRNO', errnoRet: errorNumber }]
  return combinations.map((args) => ({ names: [syscall], action: 'SCMP_ACT_ALLOW', args }))
}

/** Comparisons of which one must hold. */
function toComparisons({ index, mask, values, allow }: ArgumentCondition): OciArgument[] {
  const compare = (value: number, valueTwo: number): OciArgument => ({
    index,
    value,
    valueTwo,
    op: 'SCMP_CMP_MASKED_EQ',
  })
  if (allow) return values.map((value) => compare(mask, value))
  return complement(mask, values).map(([bits, left]) => compare(bits, left))
}

/**
 * What is none of `values`, as masks and what they must leave: one for each bit in which all of them agree, turned
 * over, and one for each pattern that none of them has in the bits where they differ.
 */
function complement(mask: number, values: readonly number[]): [mask: number, left: number][] {
  const bits = Array.from({ length: 32 }, (_, bit) => 2 ** bit).filter((bit) => (mask & bit) !== 0)
  const isSet = (value: number, bit: number): boolean => (value & bit) !== 0
  const [first = 0] = values
  const differing = bits.filter((bit) => values.some((value) => isSet(value, bit) !== isSet(first, bit)))
  const within = (value: number): number =>
    differing.reduce((sum, bit) => sum + (isSet(value, bit) ? bit : 0), 0)
  const taken = new Set(values.map(within))
  const patterns = differing.reduce<number[]>((sums, bit) => sums.flatMap((sum) => [sum, sum + bit]), [0])
  return [
    ...bits
      .filter((bit) => !differing.includes(bit))
      .map((bit): [number, number] => [bit, isSet(first, bit) ? 0 : bit]),
    ...patterns.filter((pattern) => !taken.has(pattern)).map((left): [number, number] => [within(-1), left]),
  ]
}
