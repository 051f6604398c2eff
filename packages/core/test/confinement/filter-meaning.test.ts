// The filter read by an interpreter of our own, so that both architectures are tested on either.
import { expect, test } from 'vitest'
import { syscallFilter } from '../../src/confinement/syscall-filter.js'
import { groupsFor, rulesFor } from '../../src/confinement/syscall-rules.js'
import { NEWEST_KNOWN_SYSCALL, syscallsOf } from '../../src/confinement/syscalls.js'

const AUDIT_ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 }
const [KILL, ALLOW, EPERM, ENOSYS] = [0x80000000, 0x7fff0000, 0x00050001, 0x00050026]

/** What a filter answers: classic BPF, as far as ours goes. */
function answer(
  filter: Uint8Array,
  architecture: number,
  number: number,
  args: readonly number[] = [],
): number {
  const view = new DataView(filter.buffer)
  const words = [
    number,
    architecture,
    0,
    0,
    ...args.flatMap((one) => [one % 2 ** 32, Math.floor(one / 2 ** 32)]),
  ]
  let loaded = 0
  for (let at = 0; at * 8 < filter.length; at++) {
    const [operation, operand] = [view.getUint16(at * 8, true), view.getUint32(at * 8 + 4, true)]
    const jump = (taken: boolean): number => view.getUint8(at * 8 + (taken ? 2 : 3))
    if (operation === 0x20) loaded = words[operand / 4] ?? 0
    else if (operation === 0x54) loaded = (loaded & operand) >>> 0
    else if (operation === 0x05) at += operand
    else if (operation === 0x15) at += jump(loaded === operand)
    else if (operation === 0x35) at += jump(loaded >= operand)
    else if (operation === 0x25) at += jump(loaded > operand)
    else if (operation === 0x06) return operand
    else throw new Error(`operation ${operation} is not one of ours`)
  }
  throw new Error('the filter ran past its end')
}

const POLICIES = [
  { variant: 'strict', inet: true, architecture: 'x64' },
  { variant: 'strict', inet: false, architecture: 'x64' },
  { variant: 'runner', inet: true, namespaces: true, architecture: 'x64' },
  { variant: 'strict', inet: false, architecture: 'arm64' },
  { variant: 'strict', inet: true, namespaces: true, architecture: 'arm64' },
  { variant: 'runner', inet: true, architecture: 'arm64' },
] as const

test.each(POLICIES)('of all numbers, exactly those listed are allowed: %o', (policy) => {
  const filter = syscallFilter(policy)
  const { architecture } = policy
  const ruled = new Set(rulesFor(policy).map(({ syscall }) => syscall))
  const listed = syscallsOf(groupsFor(policy))
  const plain = new Set(listed.filter(({ name }) => !ruled.has(name)).map((one) => one[architecture]))
  const withRules = new Set(listed.filter(({ name }) => ruled.has(name)).map((one) => one[architecture]))
  for (let number = 0; number < 1000; number++) {
    if (withRules.has(number)) continue
    const refused = number > NEWEST_KNOWN_SYSCALL ? ENOSYS : EPERM
    expect([number, answer(filter, AUDIT_ARCHITECTURE[architecture], number)]).toEqual([
      number,
      plain.has(number) ? ALLOW : refused,
    ])
  }
})

test.each(POLICIES)('every rule looks at the argument it names: %o', (policy) => {
  const filter = syscallFilter(policy)
  const arch = AUDIT_ARCHITECTURE[policy.architecture]
  const listed = new Map(syscallsOf(groupsFor(policy)).map((one) => [one.name, one[policy.architecture]]))
  for (const { syscall, conditions, errorNumber } of rulesFor(policy)) {
    const number = listed.get(syscall) ?? -1
    expect(number, syscall).toBeGreaterThanOrEqual(0)
    const impossible = conditions.some(({ values, allow }) => allow && values.length === 0)
    const [good, bad] = [
      [0, 0, 0],
      [0, 0, 0],
    ]
    for (const { index, values, allow, mask } of conditions) {
      // No family, type or request is 0x00ffffff; under the mask of clone it asks for a mount namespace.
      good[index] = allow ? (values.at(-1) ?? 0) : 0x00ffffff & mask
      bad[index] = allow ? 0x00ffffff : (values.at(-1) ?? 0)
    }
    expect([syscall, answer(filter, arch, number, good)]).toEqual([
      syscall,
      impossible ? 0x00050000 + errorNumber : ALLOW,
    ])
    expect([syscall, answer(filter, arch, number, bad)]).toEqual([syscall, 0x00050000 + errorNumber])
  }
})

test('a call of the other architecture ends the process', () => {
  for (const policy of POLICIES) {
    const other = policy.architecture === 'x64' ? AUDIT_ARCHITECTURE.arm64 : AUDIT_ARCHITECTURE.x64
    expect(answer(syscallFilter(policy), other, 0)).toBe(KILL)
  }
})
