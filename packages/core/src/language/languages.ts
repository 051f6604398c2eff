// The languages that are known here: how they are run and how their failures are read.
import { isKnownLanguage, languageId } from '../contract/language-names.js'
import { nearestName } from '../contract/option-hints.js'
import { invalidOption } from '../contract/options.js'
import { c, cpp } from './c.js'
import { go } from './go.js'
import { java } from './java.js'
import { javascript } from './javascript.js'
import type { Language } from './language.js'
import { python } from './python.js'
import { rust } from './rust.js'
import { shell } from './shell.js'
import { typescript } from './typescript.js'

const LANGUAGES: readonly Language[] = [python, javascript, typescript, shell, c, cpp, java, go, rust]

/**
 * The language of that name, such as `python`, `js` or `c++`.
 *
 * @param owner - what the caller called; the message starts with it
 * @throws MendloopError INVALID_OPTION naming the known ones
 */
export function languageOf(name: string, owner = 'task'): Language {
  const language = knownLanguage(name)
  if (language !== undefined) return language
  const ids = LANGUAGES.map((one) => one.id)
  const known = ids.join(', ')
  // Another language is no misspelt one: Ruby is not Rust.
  const meant = isKnownLanguage(name) ? undefined : nearestName(name.trim(), ids)
  const question = meant === undefined ? '' : `; did you mean "${meant}"?`
  throw invalidOption(owner, 'language', 'is not a known language', {
    expected: known,
    received: JSON.stringify(name),
    hint: `received ${JSON.stringify(name)}, known: ${known}${question}`,
  })
}

/** The language of that name, or undefined. */
export function knownLanguage(name: string): Language | undefined {
  const id = languageId(name)
  return LANGUAGES.find((one) => one.id === id)
}
