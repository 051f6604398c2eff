// Whether a tool call changes a part of a file, by the names that models and editors give to old texts, new texts and patches.
import { beginsWithEdit, isPatchEnvelope, mayHoldEdits } from '../edits/marker-lines.js'

/** Arguments by their names without capitals and marks. */
type Fields = ReadonlyMap<string, unknown>

/** Beside a text these say that it is a part of a file. */
const PART_NAMES = [
  'oldstr',
  'oldstring',
  'oldtext',
  'oldcontent',
  'oldcode',
  'search',
  'startline',
  'endline',
  'insertline',
  'linestart',
  'lineend',
  'linenumber',
  'append',
]
/** Texts that are never a whole file. */
const NEW_PARTS = ['newstr', 'newstring', 'newtext', 'newcode', 'inserttext', 'codeedit']
/** Words that say so only beside an old text or a path. */
const NEW_WORDS = ['replace', 'replacement', 'replacewith', 'new', 'updated']
const OLD_WORDS = ['search', 'find', 'old', 'original']
const PATCH_NAMES = ['patch', 'diff', 'unifieddiff', 'patchtext', 'patchcontent']
/** What may also be a command or words. */
const INPUT_NAMES = ['input', 'command', 'cmd', 'edit', 'edits', 'changes']
const COMMANDS = new Set(['strreplace', 'insert', 'replace', 'append'])

/** The name of what says that the text beside it is only a part; undefined for a whole file. */
export function partIn(fields: Fields): string | undefined {
  const part = PART_NAMES.find((name) => {
    const value = fields.get(name)
    return value !== undefined && value !== null && value !== false
  })
  const mode = fields.get('mode')
  return part ?? (mode === 'a' || mode === 'append' ? 'mode' : undefined)
}

/** The name under which a call without a whole file holds an edit; undefined for a call about something else. */
export function editIn(fields: Fields, hasPath: boolean): string | undefined {
  const texts = (names: readonly string[]): string | undefined =>
    names.find((name) => typeof fields.get(name) === 'string')
  const isNew = hasPath || texts(OLD_WORDS) !== undefined || partIn(fields) !== undefined
  const part = texts(NEW_PARTS) ?? (isNew ? texts(NEW_WORDS) : undefined)
  if (part !== undefined) return part
  if (hasPath && COMMANDS.has(plain(fields.get('command')))) return 'command'
  return (
    PATCH_NAMES.find((name) => isPatch(textOf(fields.get(name)))) ??
    INPUT_NAMES.find((name) => holdsPatch(textOf(fields.get(name))))
  )
}

/** True for a text that is an edit from its beginning, or carries a patch of the `*** Begin Patch` form. */
export const holdsPatch = (text: string): boolean =>
  beginsWithEdit(text) || (text.includes('*** Begin Patch') && text.split('\n').some(isPatchEnvelope))

/** True for a value of several lines with marks. */
const isPatch = (text: string): boolean => text.trim().includes('\n') && mayHoldEdits(text)

/** A text, or the words of a command. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value) && value.every((one) => typeof one === 'string')
      ? value.join('\n')
      : ''

const plain = (value: unknown): string =>
  typeof value === 'string' && value.length < 40 ? value.toLowerCase().replace(/[\s_-]/g, '') : ''
