// Keeps keys out of everything that leaves this package: messages, details, causes.
import { inspect } from 'node:util'

/** Takes secrets out of what is about to be shown. */
export interface Redactor {
  /** The text with every secret replaced. */
  text(text: string): string
  /** The cause as it is, or only its redacted sentence when a secret hides somewhere in it. */
  cause(cause: unknown): unknown
}

// Servers without keys get stand-ins such as `none`, `test` or `EMPTY`; replacing those would only garble sentences.
const MIN_SECRET_CHARACTERS = 8

/** @param candidates - keys, passwords and header values; those too short to be secret are passed over */
export function createRedactor(candidates: readonly string[]): Redactor {
  // The longest first, so that a secret within another leaves no remainder.
  const secrets = candidates
    .filter((secret) => secret.length >= MIN_SECRET_CHARACTERS)
    .sort((a, b) => b.length - a.length)
  const text = (value: string): string =>
    secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), value)
  return {
    text,
    cause(cause) {
      const shown = inspect(cause, { depth: 8, showHidden: true, maxStringLength: null })
      return text(shown) === shown ? cause : new Error(text(String(cause)))
    },
  }
}

/** What is secret in a header: the value, and for `Bearer …` the part after the scheme too. Empty for harmless names. */
export function secretsInHeader(name: string, value: string): string[] {
  if (!/auth|key|token|secret|cookie|password/i.test(name)) return []
  const [, ...rest] = value.split(' ')
  return [value, ...rest]
}
