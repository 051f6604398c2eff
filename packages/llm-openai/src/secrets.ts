// Keeps keys out of everything that leaves this package: messages, details, causes.
import { inspect } from 'node:util'

/** Takes secrets out of what is about to be shown. */
export interface Redactor {
  /** The text with every secret replaced. */
  text(text: string): string
  /** The cause as it is, or only its redacted sentence when a secret hides somewhere in it. */
  cause(cause: unknown): unknown
}

// Shorter ones give nothing away, and taking them out of every word would leave no sentence readable.
const MIN_SECRET_CHARACTERS = 4

// Below this a secret is taken out only where it stands alone: `live` of a header, but not the middle of "delivered".
const MIN_CHARACTERS_ANYWHERE = 8

/** @param candidates - keys, passwords, values of headers and of the query; those too short to be secret are passed over */
export function createRedactor(candidates: readonly string[]): Redactor {
  // The longest first, so that a secret within another leaves no remainder.
  const patterns = [...new Set(candidates.flatMap(spellings))]
    .filter((secret) => secret.length >= MIN_SECRET_CHARACTERS)
    .sort((a, b) => b.length - a.length)
    .map(patternOf)
  const text = (value: string): string =>
    patterns.reduce((redacted, pattern) => redacted.replace(pattern, '[redacted]'), value)
  return {
    text,
    cause(cause) {
      const shown = inspect(cause, { depth: 8, showHidden: true, maxStringLength: null })
      return text(shown) === shown ? cause : new Error(text(String(cause)))
    },
  }
}

/** What is secret in a header or in a value of the query: all of it, and its parts where it has some (`Bearer …`, cookies). */
export function secretsIn(value: string): string[] {
  const parts = value.split(/[\s;,=]+/).filter((part) => part.length >= MIN_CHARACTERS_ANYWHERE)
  return [value.trim(), ...parts]
}

/** The user name and the password of basic authorization, and the word that carries both. */
export function secretsInBasic(header: string): string[] {
  const [, word] = /^basic\s+(\S+)/i.exec(header) ?? []
  if (word === undefined) return []
  const [name = '', ...password] = Buffer.from(word, 'base64').toString().split(':')
  return [word, name, password.join(':')]
}

/** A key; servers without keys get stand-ins such as `none`, `test` or `EMPTY`, which would only garble sentences. */
export const secretsInKey = (key: string): string[] => (/^[a-z]{0,7}$/i.test(key) ? [] : [key])

/** A secret as it is, and as URLs and JSON write it. */
const spellings = (secret: string): string[] => {
  const inUrl = encodeURIComponent(secret.toWellFormed())
  const inForm = new URLSearchParams({ _: secret }).toString().slice(2)
  return [secret, inUrl, inForm, JSON.stringify(secret).slice(1, -1)]
}

function patternOf(secret: string): RegExp {
  const exact = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return secret.length >= MIN_CHARACTERS_ANYWHERE
    ? new RegExp(exact, 'g')
    : new RegExp(`(?<![\\p{L}\\p{N}])${exact.replaceAll('\\-', '-')}(?![\\p{L}\\p{N}])`, 'gu')
}
