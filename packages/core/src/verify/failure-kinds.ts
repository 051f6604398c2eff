// Every sort of failure, as a value: what comes from another process is checked against it.
import type { FailureKind } from '../contract/verify.js'

const kinds: Record<FailureKind, true> = {
  syntax: true,
  exception: true,
  assertion: true,
  import: true,
  timeout: true,
  resource: true,
  denied: true,
  lint: true,
  type: true,
  output: true,
  schema: true,
  'missing-entry': true,
  'early-exit': true,
  'no-code': true,
  'truncated-reply': true,
  edit: true,
  refusal: true,
  custom: true,
}

/** Every {@link FailureKind}. */
export const FAILURE_KINDS = Object.keys(kinds) as [FailureKind, ...FailureKind[]]
