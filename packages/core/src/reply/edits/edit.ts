// What an edit is: a change of one file, as a reply states it.
import { z } from 'zod'

/** A line of a change: as it stays, as it goes, as it comes. */
export interface EditLine {
  /** A space for a line that stays, `-` for one that goes, `+` for one that comes. */
  readonly mark: ' ' | '-' | '+'
  /** The line without its mark and its end. */
  readonly text: string
}

/** One connected change. */
export interface EditHunk {
  /** 1-based line of the reply where it begins. */
  readonly line: number
  /**
   * The change, line by line. More than one reading when a search/replace block holds several lines that might be its
   * separator; the one with the longest search text that fits once is meant.
   */
  readonly readings: readonly (readonly EditLine[])[]
  /** 1-based line of the old file where it begins, as the reply says; absent when it does not. */
  readonly startLine?: number
  /** A line further up, such as the head of the function around it. */
  readonly anchor?: string
  /** The old text ends here without a line end. */
  readonly oldNoNewline?: boolean
  /** The new text ends here without a line end. */
  readonly newNoNewline?: boolean
}

/** A change of one file. */
export interface Edit {
  /** How the reply states it. */
  readonly form: 'search-replace' | 'patch'
  /** Path within the workspace; absent when the reply names none. */
  readonly path?: string
  /** 1-based line of the reply where it begins. */
  readonly line: number
  /** `create`: there must be no such file yet; `delete`: the file goes. */
  readonly change: 'modify' | 'create' | 'delete'
  /** The file's new path, when it is moved. */
  readonly movedTo?: string
  /** The changes, in order. */
  readonly hunks: readonly EditHunk[]
}

/** Why an edit could not be made. */
export type EditReason =
  | 'no-match'
  | 'ambiguous'
  | 'ambiguous-separator'
  | 'identical'
  | 'unknown-file'
  | 'no-path'
  | 'path-refused'
  | 'file-exists'
  | 'malformed'
  | 'unclosed'
  | 'omission-placeholder'
  | 'too-much-work'
  | 'no-files'

/** One thing that is wrong with an edit. */
export interface EditProblem {
  /** Why, for programs. */
  readonly reason: EditReason
  /** Why, for the model; bounded in size. */
  readonly message: string
  /** The file, where the reply names one. */
  readonly path?: string
  /** 1-based line of the reply. */
  readonly line: number
  /** How often the search text fits, when it is `ambiguous`. */
  readonly matches?: number
  /** 1-based lines of the file where it fits; ten at most. */
  readonly lines?: readonly number[]
}

/** What {@link extractEdits} looks for. */
export interface ExtractEditsOptions {
  /** Files that are known already, path → text; they make a path certain that has no usual form. */
  files?: Readonly<Record<string, string>>
}

/** Schema of {@link ExtractEditsOptions}. */
export const extractEditsOptionsSchema: z.ZodType<ExtractEditsOptions> = z.strictObject({
  files: z.record(z.string(), z.string()).optional(),
})

/** The edits of a reply. */
export interface ExtractedEdits {
  /** In order. */
  readonly edits: readonly Edit[]
  /** Blocks that were begun and are none: not closed, without a separator, at an unsafe path. */
  readonly problems: readonly EditProblem[]
  /** Stable names of what was odd: `hunk-recounted`. */
  readonly warnings: readonly string[]
}

/** The lines of the old text, or of the new one. */
export function side(lines: readonly EditLine[], which: 'old' | 'new'): string[] {
  const other = which === 'old' ? '+' : '-'
  return lines.flatMap(({ mark, text }) => (mark === other ? [] : [text]))
}

/** True for an edit that makes a file: it says so, or it is a search/replace block without a search text. */
export function makesFile({ form, change, hunks }: Edit, exists: boolean): boolean {
  if (change === 'create') return true
  const [hunk, ...others] = hunks
  if (form !== 'search-replace' || hunk === undefined || others.length > 0) return false
  // The new file's own text may hold lines that look like separators.
  if (exists && hunk.readings.length > 1) return false
  return side(hunk.readings[0] ?? [], 'old').every((line) => line.trim() === '')
}

/** What stands at the top of a file: nothing, a remark, an import. */
const TOP_LINE =
  /^\s*(?:$|#|\/\/|\/?\*|--|["']use |(?:import|from|use|using|package|require|include)\b|(?:const|let|var)\b.*\brequire\()/

/**
 * True for a patch that is nothing but new lines above all those of a file: the file given anew, which must not come on top
 * of the old one. Imports and remarks may.
 */
export function givesAnew({ form, hunks }: Edit): boolean {
  const [hunk, ...others] = hunks
  if (form !== 'patch' || hunk?.startLine !== 1 || others.length > 0) return false
  const lines = hunk.readings[0] ?? []
  return lines.every(({ mark }) => mark === '+') && lines.some(({ text }) => !TOP_LINE.test(text))
}
