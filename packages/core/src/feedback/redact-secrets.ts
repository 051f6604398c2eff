// Secrets are masked before text leaves for a model: by the shape of known keys, and by the name of what is assigned.

const MASK = '[redacted]'

const SHAPES: readonly RegExp[] = [
  // OpenAI, Anthropic and those who copied the form
  /\b[sr]k-[A-Za-z0-9_-]{16,}/gu,
  // Stripe
  /\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}/gu,
  // GitHub, GitLab, npm, Hugging Face, PyPI
  /\bgh[pousr]_[A-Za-z0-9]{16,}/gu,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/gu,
  /\bglpat-[A-Za-z0-9_-]{16,}/gu,
  /\bnpm_[A-Za-z0-9]{30,}/gu,
  /\bhf_[A-Za-z0-9]{30,}/gu,
  /\bpypi-[A-Za-z0-9_-]{30,}/gu,
  // Slack, Google
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/gu,
  /\bAIza[A-Za-z0-9_-]{35}/gu,
  /\bya29\.[A-Za-z0-9_-]{20,}/gu,
  // AWS access key ids
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu,
  // JSON Web Tokens
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/gu,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----BEGIN)[\s\S]){0,8000}?-----END [A-Z ]*PRIVATE KEY-----/gu,
]

const AUTHORIZATION = /\b(Bearer|Basic|Token)(\s+)[A-Za-z0-9._~+/=-]{16,}/giu
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"]{0,100}:)[^\s/@'"]{1,200}(?=@)/giu
const CAPITALS = '(?:[A-Z0-9]_(?:KEY|TOKEN|SECRET|CREDENTIALS?)|APIKEY|PASSWORD|PASSWD|PASSPHRASE)(?:_ID)?'
const SMALL =
  '(?:password|passwd|passphrase|client[_-]?secret|(?:api|secret|private|access)[_-]?key|(?:access|auth|api)[_-]?token)'
const QUOTED = '"[^"\\n]{4,}"|\'[^\'\\n]{4,}\''
// As in an environment: all up to the next blank is the value.
const ENVIRONMENT = new RegExp(`(${CAPITALS}=)([^\\s"']\\S{3,})`, 'gu')
const CAPITAL_NAME = new RegExp(
  `(${CAPITALS}["']?[ \\t]*[=:][ \\t]*)(${QUOTED}|[^\\s,;'"(){}[\\]]{6,})`,
  'gu',
)
// In small letters it may be code or prose, so what looks like a call, an index or a type is left alone.
const SMALL_NAME = new RegExp(
  `(${SMALL}["']?[ \\t]*[=:][ \\t]*)(${QUOTED}|[^\\s,;'"(){}[\\].]{6,}(?![\\w(.[]))`,
  'giu',
)

/**
 * Masks what looks like a secret: keys of well-known services, bearer tokens, private keys, passwords in URLs, and
 * values assigned to names such as `OPENAI_API_KEY` or `password`. A net with holes: the only sure way is to give no
 * secret to the program.
 */
export function redactSecrets(text: string): string {
  const shaped = SHAPES.reduce((masked, shape) => masked.replace(shape, MASK), text)
  return shaped
    .replace(AUTHORIZATION, (_, scheme: string, blank: string) => `${scheme}${blank}${MASK}`)
    .replace(URL_PASSWORD, (_, before: string) => `${before}${MASK}`)
    .replace(ENVIRONMENT, maskValue)
    .replace(CAPITAL_NAME, maskValue)
    .replace(SMALL_NAME, maskValue)
}

function maskValue(_match: string, name: string, value: string): string {
  // Masked by its shape already.
  if (value.includes(MASK)) return `${name}${value}`
  const quote = /^["']/u.exec(value)?.[0] ?? ''
  return `${name}${quote}${MASK}${quote}`
}
