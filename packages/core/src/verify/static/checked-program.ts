// What the tools are given: the program's files of one language, and what is only there to be known.
import type { Candidate } from '../../contract/candidate.js'
import { languageOfPath } from '../../contract/language-names.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { sourceLines } from '../../language/excerpt.js'

/** Texts by path. */
export type Texts = Readonly<Record<string, string>>

/** What all tools of one check are asked with. */
export interface CheckedProgram {
  /** Files that findings may be about. */
  readonly files: Texts
  /** Files that they may import. */
  readonly known: Texts
  /** Where processes of tools run; without it only tools of this process are asked. */
  readonly sandbox?: Sandbox
  /** Wall time of each tool, in milliseconds. */
  readonly timeoutMs: number
  /** Codes that are asked for besides those of the lists here. */
  readonly asked: readonly string[]
  readonly signal?: AbortSignal
}

/** Comments that tell a tool to be silent; one letter each is changed, so that lines and columns stay. */
const SUPPRESSIONS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(#[^\n]{0,500}?\b)noqa\b/giu, '$1no-a'],
  [/(#\s*type:\s*)ignore\b/giu, '$1ign-re'],
  [/(#\s*(?:mypy|pyright|ruff|flake8))\s*:/giu, '$1-'],
  [/((?:\/\/|\/\*)[^\n]{0,500}?@ts-)(?:ignore|nocheck|expect-error)\b/gu, '$1-'],
]

/** The candidate's and other files of these languages, apart. */
export function textsOf(
  candidate: Pick<Candidate, 'files'>,
  others: Readonly<Record<string, string | Uint8Array>>,
  { languages, silence }: { languages: readonly string[]; silence: 'honoured' | 'ignored' },
): Pick<CheckedProgram, 'files' | 'known'> {
  const isOurs = (path: string): boolean => languages.includes(languageOfPath(path) ?? '')
  const entries = (files: Readonly<Record<string, string | Uint8Array>>): [string, string][] =>
    Object.entries(files)
      .filter(([path]) => isOurs(path))
      .map(([path, content]) => [path, wellFormed(content)])
  const loud = (text: string): string =>
    SUPPRESSIONS.reduce((changed, [pattern, instead]) => changed.replace(pattern, instead), text)
  const files = entries(candidate.files)
  return {
    files: Object.fromEntries(
      silence === 'ignored' ? files.map(([path, text]) => [path, loud(text)]) : files,
    ),
    known: Object.fromEntries(entries(others).filter(([path]) => candidate.files[path] === undefined)),
  }
}

/** As it will be in a file: half a surrogate pair is a replacement character there. */
const wellFormed = (content: string | Uint8Array): string => Buffer.from(content).toString('utf8')

/** The lines of the last text, since one text is asked about many times in a row. */
let remembered: { readonly text: string; readonly lines: readonly string[] } | undefined

/** A line of a text, 1-based; empty where there is none. */
export function lineOf(text: string, line: number): string {
  if (remembered?.text !== text) remembered = { text, lines: sourceLines(text) }
  return remembered.lines[line - 1] ?? ''
}

/** A column as a tool counts it → 1-based, in UTF-16 units. */
export function columnIn(
  text: string | undefined,
  line: number,
  column: number,
  unit: 'bytes' | 'code-points',
): number {
  const source = lineOf(text ?? '', line)
  const before = Math.max(0, column - 1)
  const start =
    unit === 'bytes'
      ? Buffer.from(source).subarray(0, before).toString('utf8')
      : Array.from(source).slice(0, before).join('')
  return start.length + 1
}
