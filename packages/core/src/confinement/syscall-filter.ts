// A policy of system calls as a filter that the kernel runs: classic BPF, as seccomp(2) and `bwrap --seccomp` take it.
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import { parseOptions } from '../contract/options.js'
import { ENOSYS, EPERM, groupsFor, rulesFor, type SyscallPolicy, type SyscallRule } from './syscall-rules.js'
import { NEWEST_KNOWN_SYSCALL, type Syscall, syscallsOf } from './syscalls.js'

/** Which filter is wanted. */
export interface SyscallFilterOptions extends SyscallPolicy {
  /** Default: that of this process. */
  readonly architecture?: 'x64' | 'arm64'
}

/** @internal */
export const syscallPolicyShape = {
  variant: z.enum(['strict', 'runner']),
  inet: z.boolean(),
  namespaces: z.boolean().optional(),
}

const optionsSchema: z.ZodType<SyscallFilterOptions> = z.strictObject({
  ...syscallPolicyShape,
  architecture: z.enum(['x64', 'arm64']).optional(),
})

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64; audit.h. */
const AUDIT_ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
/** On x86_64, numbers from here on are the x32 ABI: the same calls under other numbers. */
const X32_BIT = 0x40000000

// Where struct seccomp_data holds what; seccomp(2).
const NUMBER_OFFSET = 0
const ARCHITECTURE_OFFSET = 4
const ARGUMENTS_OFFSET = 16

// Operations of classic BPF; bpf_common.h. A jump's two distances count from the next instruction.
const LOAD_WORD = 0x20
const AND = 0x54
const JUMP = 0x05
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_GREATER = 0x25
const RETURN = 0x06

const KILL_PROCESS = 0x80000000
const ALLOW = 0x7fff0000
const errorReturn = (errorNumber: number): number => 0x00050000 | errorNumber

type Instruction = readonly [operation: number, operand: number, jumpIfTrue?: number, jumpIfFalse?: number]

/**
 * The filter of a policy, as the bytes of `struct sock_filter[]`.
 *
 * A call of another architecture ends the process; one that is not listed answers EPERM, and one that is newer than the
 * list ENOSYS, for which programs have a fallback. Filters add up: one put on later can only take away.
 *
 * @throws MendloopError INVALID_OPTION; SANDBOX_UNSUPPORTED on a machine that is neither x64 nor arm64
 */
export function syscallFilter(options: SyscallFilterOptions): Uint8Array {
  const policy = parseOptions(optionsSchema, options, 'syscallFilter()')
  const architecture = policy.architecture ?? ownArchitecture()
  const numberOf = (syscall: Syscall): number | undefined => syscall[architecture]
  const rules = rulesFor(policy)
  const ruled = new Set(rules.map(({ syscall }) => syscall))
  const syscalls = syscallsOf(groupsFor(policy))
  const numbers = new Map(syscalls.map((syscall) => [syscall.name, numberOf(syscall)]))
  const plain = syscalls.filter(({ name }) => !ruled.has(name)).map(numberOf)
  return encode([
    [LOAD_WORD, ARCHITECTURE_OFFSET],
    [JUMP_IF_EQUAL, AUDIT_ARCHITECTURE[architecture], 1, 0],
    [RETURN, KILL_PROCESS],
    [LOAD_WORD, NUMBER_OFFSET],
    ...(architecture === 'x64' ? refuseFrom(X32_BIT, EPERM) : []),
    ...rules.flatMap((rule) => ruleInstructions(rule, numbers.get(rule.syscall))),
    ...ranges(plain.filter((number) => number !== undefined)).flatMap(allowRange),
    ...refuseFrom(NEWEST_KNOWN_SYSCALL + 1, ENOSYS),
    [RETURN, errorReturn(EPERM)],
  ])
}

function ownArchitecture(): 'x64' | 'arm64' {
  const { arch } = process
  if (arch === 'x64' || arch === 'arm64') return arch
  throw new MendloopError(
    'SANDBOX_UNSUPPORTED',
    `There is no filter of system calls for ${arch}: use an x64 or arm64 machine, or a container with the profile of its engine.`,
    {
      details: {
        requested: `a filter of system calls for ${arch}`,
        remedy: 'an x64 or arm64 machine, or a container with the profile of its engine',
      },
    },
  )
}

const refuseFrom = (number: number, errorNumber: number): Instruction[] => [
  [JUMP_IF_AT_LEAST, number, 0, 1],
  [RETURN, errorReturn(errorNumber)],
]

/** Looks at the arguments of one call and returns; leaves the number loaded for all others. */
function ruleInstructions(
  { conditions, errorNumber }: SyscallRule,
  number: number | undefined,
): Instruction[] {
  if (number === undefined) return []
  const body: Instruction[] = conditions.flatMap(({ index, mask, values, allow }) => [
    [LOAD_WORD, ARGUMENTS_OFFSET + 8 * index],
    [AND, mask],
    // A match skips the other values and the instruction after them: the refusal, or the way around it.
    ...values.map((value, position): Instruction => [JUMP_IF_EQUAL, value, values.length - position, 0]),
    ...(allow ? [] : ([[JUMP, 1]] satisfies Instruction[])),
    [RETURN, errorReturn(errorNumber)],
  ])
  return [[JUMP_IF_EQUAL, number, 0, body.length + 1], ...body, [RETURN, ALLOW]]
}

/** Ascending numbers without gaps, as first and last. */
function ranges(numbers: readonly number[]): [first: number, last: number][] {
  const found: [number, number][] = []
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const current = found.at(-1)
    if (current !== undefined && number <= current[1] + 1) current[1] = number
    else found.push([number, number])
  }
  return found
}

function allowRange([first, last]: [number, number]): Instruction[] {
  if (first === last)
    return [
      [JUMP_IF_EQUAL, first, 0, 1],
      [RETURN, ALLOW],
    ]
  return [
    [JUMP_IF_AT_LEAST, first, 0, 2],
    [JUMP_IF_GREATER, last, 1, 0],
    [RETURN, ALLOW],
  ]
}

/** `struct sock_filter`: u16 operation, u8 and u8 jumps, u32 operand; both architectures are little-endian. */
function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(instructions.length * 8)
  const view = new DataView(bytes.buffer)
  for (const [index, [operation, operand, jumpIfTrue = 0, jumpIfFalse = 0]] of instructions.entries()) {
    view.setUint16(index * 8, operation, true)
    view.setUint8(index * 8 + 2, jumpIfTrue)
    view.setUint8(index * 8 + 3, jumpIfFalse)
    view.setUint32(index * 8 + 4, operand, true)
  }
  return bytes
}
