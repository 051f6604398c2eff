// What of a model call's settings goes into its event: a copy without secrets, since a record is kept and handed on.
import { redactSecrets } from '../feedback/redact-secrets.js'
import { plainCopy } from '../internal/plain-copy.js'

/** Names whose values are nobody's business, whatever their form. */
const SECRET_NAME = /(?:key|token|secret|password|passwd|passphrase|credentials?|authorization|cookie)$/iu

/** A copy as JSON data; texts under names such as `apiKey` or `authorization`, and what looks like a key, are masked. */
export function recordedSettings<T extends object>(settings: T): T {
  const masked = (text: string, name: string): string =>
    SECRET_NAME.test(name) ? '[redacted]' : redactSecrets(text)
  return plainCopy(settings, masked) as T
}
