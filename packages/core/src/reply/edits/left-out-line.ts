// Whether the new lines of an edit leave code out, as a whole file might.
import { languageOfPath } from '../../contract/language-names.js'
import { findOmission } from '../omission.js'
import { omissionSign } from '../omission-words.js'
import { remarksOf } from '../placeholders.js'
import type { Edit } from './edit.js'
import { type FileLines, toText } from './file-lines.js'

/** Longer files are judged by their new lines alone. */
const WHOLE_AT_MOST = 500_000

/** The first new line that stands for code which is not there, or undefined. */
export function leftOutLine(edit: Edit, path: string, before: string, file: FileLines): string | undefined {
  const lines = edit.hunks.flatMap(({ readings }) => readings.at(-1) ?? [])
  const added = lines.flatMap(({ mark, text }) => (mark === '+' ? [text] : [])).join('\n')
  const language = languageOfPath(path) ?? 'text'
  const isSuspect =
    /\.\.\.|…/.test(added) || remarksOf(added, language).some(({ words }) => omissionSign(words) !== 'none')
  if (!isSuspect) return undefined
  const after = toText(file)
  if (before.length + after.length > WHOLE_AT_MOST) return findOmission(added, language)
  return before === '' ? findOmission(after, language) : findOmission(after, language, { before })
}
