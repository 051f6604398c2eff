// A bug case as data: what a folder's expected.json says, each of its sub-cases with what it inherits.
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** JSON objects, before anything is known of their keys. */
export type Fields = Readonly<Record<string, unknown>>

/** One thing to try and what must come of it. */
export interface BugCase {
  /** Such as `B02`. */
  readonly id: string
  /** Such as `extract`; what to do with the input. */
  readonly kind: string
  /** Tells sub-cases of one folder apart; empty where there is only one. */
  readonly name: string
  /** Absolute path of the folder that holds the input files. */
  readonly folder: string
  /** Everything that is handed in: every key but `id`, `kind`, `cases`, `expect` and `note`. */
  readonly input: Fields
  /** Everything that is expected, by key. */
  readonly expect: Fields
}

/** A folder whose expected.json cannot be read; it counts as a failed case. */
export interface UnreadableCase {
  readonly id: string
  readonly reason: string
}

/** What became of a case. `not-built` and `cannot-run` are neither passed nor failed. */
export type CaseOutcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly reasons: readonly string[] }
  | { readonly status: 'not-built'; readonly reason: string }
  | {
      readonly status: 'cannot-run'
      readonly reason: string
      readonly remedy: string
      /** True when something can be installed; absent where no tier on this machine can do what is asked. */
      readonly missingTool?: true
    }

const STRUCTURE = new Set(['id', 'kind', 'cases', 'expect', 'note'])

/** Every case under `directory`, at any depth, behind links too, in the order of their paths. */
export function readCases(directory: string): (BugCase | UnreadableCase)[] {
  return caseFolders(directory, [])
    .sort(({ path: a }, { path: b }) => (a < b ? -1 : 1))
    .flatMap(({ path, isLost }) => {
      const id = relative(directory, path) || basename(path)
      return isLost ? [{ id, reason: 'the link leads nowhere' }] : readFolder(path, id)
    })
}

interface Found {
  readonly path: string
  /** A link to nothing, where a folder of cases was expected. */
  readonly isLost: boolean
}

function caseFolders(folder: string, above: readonly string[]): Found[] {
  const real = realpathSync(folder)
  // A link to a folder above it would lead round and round.
  if (above.includes(real)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  const isCase = entries.some(({ name }) => name === 'expected.json')
  const below = entries.flatMap((entry): Found[] => {
    const path = join(folder, entry.name)
    const kind = kindOf(entry, path)
    if (kind === 'folder') return caseFolders(path, [...above, real])
    return kind === 'lost' && !isCase ? [{ path, isLost: true }] : []
  })
  return isCase ? [{ path: folder, isLost: false }, ...below] : below
}

function kindOf(entry: Dirent, path: string): 'folder' | 'lost' | 'other' {
  if (entry.isDirectory()) return 'folder'
  if (!entry.isSymbolicLink()) return 'other'
  try {
    return statSync(path).isDirectory() ? 'folder' : 'other'
  } catch {
    return 'lost'
  }
}

function readFolder(folder: string, fallbackId: string): (BugCase | UnreadableCase)[] {
  try {
    const top = asFields(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')), 'expected.json')
    const id = typeof top['id'] === 'string' ? top['id'] : fallbackId
    const list: unknown = top['cases'] ?? [{}]
    if (!Array.isArray(list) || list.length === 0)
      throw new Error('"cases" must be a list of at least one case')
    const subCases = list.map((one, index) => inherit(top, asFields(one, `cases[${index}]`)))
    return subCases.map((fields, index) => ({
      id,
      kind: asKind(fields['kind']),
      name: list.length === 1 ? '' : subCaseName(fields, index),
      folder,
      input: Object.fromEntries(Object.entries(fields).filter(([key]) => !STRUCTURE.has(key))),
      expect: withoutNote(asFields(fields['expect'] ?? {}, '"expect"')),
    }))
  } catch (error) {
    return [{ id: fallbackId, reason: `expected.json: ${error instanceof Error ? error.message : error}` }]
  }
}

/** A sub-case has what the folder has, unless it says otherwise; options and expectations are joined key by key. */
function inherit(top: Fields, own: Fields): Fields {
  const joined: Record<string, unknown> = { ...top, ...own }
  for (const key of ['options', 'expect']) {
    const both = [top[key], own[key]].filter((value) => value !== undefined)
    if (both.length > 0)
      joined[key] = Object.fromEntries(both.flatMap((value) => Object.entries(asFields(value, key))))
  }
  return joined
}

function subCaseName(fields: Fields, index: number): string {
  const file = fields['input'] ?? fields['solution']
  return `#${index + 1}${typeof file === 'string' ? ` ${file}` : ''}`
}

const withoutNote = ({ note: _, ...rest }: Fields): Fields => rest

function asKind(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error(`"kind" must be a text, found ${JSON.stringify(value) ?? 'nothing'}`)
}

function asFields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} must be an object`)
  }
  return value as Fields
}
