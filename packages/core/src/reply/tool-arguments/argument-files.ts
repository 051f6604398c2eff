// Data of a tool call → the files that it holds, by the names that models give to code, paths and lists of files.
import { isKnownLanguage, languageId } from '../../contract/language-names.js'
import { isPathLike } from '../info-string.js'
import { editIn, holdsPatch, partIn } from './argument-edits.js'

/** A text that a call hands over, as it was written. */
export interface ArgumentFile {
  readonly text: string
  /** As written, not checked. */
  readonly path?: string
  /** Canonical id, where the call names a language. */
  readonly language?: string
  /** Its name says that it is code. False for a `text`, which may be words for a person. */
  readonly isCode: boolean
}

/** Files in order; none; or why what there is cannot be used. */
export type ArgumentFiles =
  | { readonly files: readonly ArgumentFile[] }
  | { readonly problem: string; readonly isEdit?: true }

type Fields = ReadonlyMap<string, unknown>

/** Names without capitals and marks; in each row they mean the same, and an earlier row counts before a later one. */
const CODE_NAMES: readonly (readonly string[])[] = [
  ['code', 'sourcecode', 'programcode', 'pythoncode', 'javascriptcode', 'typescriptcode', 'filecode'],
  ['content', 'contents', 'filecontent', 'filecontents', 'filetext', 'newcontent'],
  ['program', 'script', 'source', 'src'],
  ['text', 'body', 'data'],
]
/** Names that say code even where no path stands beside them. */
const SAYS_CODE = new Set([...(CODE_NAMES[0] ?? []), ...(CODE_NAMES[2] ?? [])])
const PATH_NAMES = [
  'path',
  'filepath',
  'filename',
  'file',
  'targetfile',
  'targetpath',
  'relativepath',
  'absolutepath',
]
const FILES_NAMES = ['files', 'sources', 'modules']
const WRAPPER_NAMES = ['arguments', 'args', 'input', 'parameters', 'params', 'kwargs']
/** Lists of what changes; an item may still be a whole file. */
const EDITS_NAMES = ['edits', 'changes', 'replacements', 'hunks']
const LEVELS_AT_MOST = 4
const FILES_AT_MOST = 1000

/** Finds the files in `value`. No file at all is no problem: not every call is about a program. */
export function filesIn(value: unknown, level = 0): ArgumentFiles {
  if (typeof value !== 'object' || value === null || level > LEVELS_AT_MOST) return { files: [] }
  if (Array.isArray(value)) return listed(value, level)
  const fields: Fields = new Map(Object.entries(value).map(([key, one]) => [plain(key), one]))
  const several = FILES_NAMES.map((name) => fields.get(name)).filter((one) => isPresent(one))
  if (several.length > 1) return { problem: 'they hold several lists of files' }
  const inFiles: ArgumentFiles = several.length === 0 ? { files: [] } : collection(several[0], level)
  if ('problem' in inFiles) return inFiles
  const own = ownFile(fields)
  if ('problem' in own) return own
  const changed = changes(fields, level)
  if ('problem' in changed) return changed
  const files = [...inFiles.files, ...own.files, ...changed.files]
  if (files.length > 0) return bounded(files)
  const nested = [...WRAPPER_NAMES, 'file'].map((name) => fields.get(name)).find(isWrapped)
  if (typeof nested === 'string') {
    const inside = fromJson(nested)
    return isObject(inside)
      ? filesIn(inside, level + 1)
      : { problem: 'the arguments within them are not valid JSON' }
  }
  if (nested !== undefined) return filesIn(nested, level + 1)
  const entries = Object.entries(value)
  return entries.length > 0 && entries.every(([key, one]) => isPathLike(key) && typeof one === 'string')
    ? collection(value, level)
    : { files: [] }
}

/** Lists of edits, or of whole files under such a name. */
function changes(fields: Fields, level: number): ArgumentFiles {
  const lists = EDITS_NAMES.map((name) => fields.get(name)).map((one) =>
    typeof one === 'string' ? fromJson(one) : one,
  )
  const found = listed(lists.filter(isObject), level)
  if ('problem' in found) return found
  const hasPath = pathIn(fields) !== undefined
  const isPart = ({ path, isCode }: ArgumentFile): boolean => path === undefined && (hasPath || isCode)
  return found.files.some(isPart)
    ? notWhole('edits')
    : { files: found.files.filter(({ path }) => path !== undefined) }
}

/** `files`: by path, or a list, or the text of either. */
function collection(value: unknown, level: number): ArgumentFiles {
  if (typeof value === 'string') {
    const inside = fromJson(value)
    return isObject(inside)
      ? collection(inside, level + 1)
      : { problem: '"files" is a text and no list of files' }
  }
  if (Array.isArray(value)) {
    const found = listed(value, level)
    if ('problem' in found || found.files.length >= value.length) return found
    return { problem: '"files" has an item without a path or without its text' }
  }
  if (!isObject(value)) return { problem: '"files" is no list of files' }
  const files: ArgumentFile[] = []
  for (const [path, one] of Object.entries(value)) {
    const own: ArgumentFiles =
      typeof one === 'string' ? { files: [{ text: one, isCode: true }] } : filesIn(one, level + 1)
    if ('problem' in own) return own
    const [file, ...more] = own.files
    if (file === undefined || more.length > 0) return { problem: `the file ${shown(path)} has no text` }
    files.push({ ...file, path })
  }
  return bounded(files)
}

function listed(items: readonly unknown[], level: number): ArgumentFiles {
  const files: ArgumentFile[] = []
  for (const item of items) {
    const own = filesIn(item, level + 1)
    if ('problem' in own) return own
    files.push(...own.files)
  }
  return bounded(files)
}

/** The one text that stands directly in the fields. */
function ownFile(fields: Fields): ArgumentFiles {
  const row = CODE_NAMES.map((names) => names.filter((name) => isPresent(fields.get(name)))).find(
    (names) => names.length > 0,
  )
  const [name, ...more] = row ?? []
  const path = pathIn(fields)
  if (name === undefined) {
    const edit = editIn(fields, path !== undefined)
    return edit === undefined ? { files: [] } : notWhole(edit)
  }
  const text = fields.get(name)
  const isPatch = path === undefined && typeof text === 'string' && holdsPatch(text)
  const part = isPatch ? name : partIn(fields)
  if (part !== undefined) return notWhole(part)
  if (more.some((one) => fields.get(one) !== text))
    return { problem: `they hold code under several names: ${[name, ...more].map(shown).join(', ')}` }
  const saysCode = SAYS_CODE.has(name)
  if (typeof text !== 'string')
    return saysCode || path !== undefined
      ? {
          problem: `${shown(name)} must be one text, and is ${Array.isArray(text) ? 'a list' : `a value of type ${typeof text}`}`,
        }
      : { files: [] }
  const language = languageIn(fields)
  return {
    files: [
      {
        text,
        isCode: saysCode || path !== undefined,
        ...(path !== undefined && { path }),
        ...(language !== undefined && { language }),
      },
    ],
  }
}

/** Of an edit nothing is made, since a call hands over whole files. */
export const notWhole = (name: string): ArgumentFiles & { problem: string } => ({
  problem: `they hold a part of a file and not the whole of it (${shown(name)})`,
  isEdit: true,
})

function pathIn(fields: Fields): string | undefined {
  const written = PATH_NAMES.map((name) => fields.get(name)).find(
    (one) => typeof one === 'string' && one.trim() !== '',
  )
  if (typeof written === 'string') return written.trim()
  const name = fields.get('name')
  return typeof name === 'string' && isPathLike(name.trim()) ? name.trim() : undefined
}

function languageIn(fields: Fields): string | undefined {
  const named = fields.get('language') ?? fields.get('lang')
  return typeof named === 'string' && isKnownLanguage(named) ? languageId(named) : undefined
}

const bounded = (files: readonly ArgumentFile[]): ArgumentFiles =>
  files.length > FILES_AT_MOST
    ? { problem: `they hold ${files.length} files, and ${FILES_AT_MOST} is the limit` }
    : { files }

const plain = (key: string): string => key.toLowerCase().replace(/[\s_-]/g, '')
const shown = (name: string): string => JSON.stringify(name.slice(0, 60))
const isPresent = (value: unknown): boolean => value !== undefined && value !== null
/** An object, or the text of one. */
const isWrapped = (value: unknown): boolean =>
  isObject(value) || (typeof value === 'string' && /^\s*\{\s*"/.test(value))
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
