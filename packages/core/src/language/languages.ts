// The languages that a loop knows how to run and to read.
import { invalidOption } from '../contract/options.js'
import type { Language } from './language.js'
import { python } from './python.js'

const LANGUAGES: readonly Language[] = [python]

/**
 * The language of that id.
 *
 * @throws MendloopError INVALID_OPTION naming the known ones
 */
export function languageOf(id: string): Language {
  const language = knownLanguage(id)
  if (language !== undefined) return language
  const known = LANGUAGES.map((one) => one.id).join(', ')
  throw invalidOption('task', 'language', 'is not a known language', {
    expected: known,
    received: JSON.stringify(id),
    hint: `received ${JSON.stringify(id)}, known: ${known}`,
  })
}

/** The language of that id, or undefined. */
export const knownLanguage = (id: string): Language | undefined => LANGUAGES.find((one) => one.id === id)
