// When a promise is claimed: by a guarantee, or by a member that is there.
import type { Guarantees } from '../../contract/sandbox.js'
import type { ConformanceFacts, OptionalMember } from './conformance-case.js'

/** When a case is claimed. */
export type Claim = (facts: ConformanceFacts) => true | string

/** Claimed when a guarantee has one of these values. */
export const claims =
  <K extends keyof Guarantees>(property: K, ...values: readonly Guarantees[K][]): Claim =>
  ({ guarantees }) =>
    values.includes(guarantees[property]) || `guarantees.${property} is "${guarantees[property]}"`

/** Claimed when the sandbox has the member. */
export const has =
  (member: OptionalMember): Claim =>
  ({ members }) =>
    members.has(member) || `the sandbox has no ${member}()`

/** Probed when the caller gave servers outside. */
export const servers: Claim = ({ host }) =>
  host !== undefined || 'no servers outside were given; pass `host` to probe it'

/** Probed when the host is Linux, where /proc tells what is there. */
export const onLinux: Claim = () =>
  process.platform === 'linux' || `only Linux tells, through /proc; this host is ${process.platform}`

/** Claimed when all are. */
export const all =
  (...parts: readonly Claim[]): Claim =>
  (facts) => {
    for (const part of parts) {
      const answer = part(facts)
      if (answer !== true) return answer
    }
    return true
  }
