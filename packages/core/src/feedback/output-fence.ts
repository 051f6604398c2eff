// Program output as data: between two lines that the output cannot write, since it does not know the nonce.
import { clipText } from './clip-text.js'

/** A nonce that nobody can guess. */
export function freshNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9))
  return Buffer.from(bytes).toString('hex')
}

/** Takes the nonce out of a text, which a model may have written into its program. */
export const withoutNonce = (text: string, nonce: string): string => text.replaceAll(nonce, '[…]')

/**
 * @param text - cleaned output
 * @param limitChars - upper bound of the whole, lines of the fence included
 * @returns empty when not even a little of it fits
 */
export function fencedOutput(
  stream: 'stdout' | 'stderr',
  text: string,
  { nonce, limitChars }: { nonce: string; limitChars: number },
): string {
  const open = `<${stream} ${nonce}>`
  const close = `</${stream} ${nonce}>`
  const room = limitChars - open.length - close.length - 2
  if (room < SMALLEST_CHARS && text.length > room) return ''
  return [open, clipText(withoutNonce(text, nonce), room), close].join('\n')
}

const SMALLEST_CHARS = 120
