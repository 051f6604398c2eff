// From chosen blocks to files: every file whole, at a safe path, and one of them the entry.
import { defaultEntry, languageOfPath, runsAs } from '../contract/language-names.js'
import { knownLanguage } from '../language/languages.js'
import type { Judged } from './judge.js'
import { leftOut, type NoCandidate, wrongLanguage } from './no-candidate.js'
import { findOmission } from './omission.js'
import { textAt } from './path-label.js'
import { chooseProgram } from './roles.js'
import type { ExtractContext, Selection } from './select.js'

/** A program in files. */
export interface Assembled {
  readonly files: Readonly<Record<string, string>>
  readonly entry: string
  readonly code: string
  readonly used: readonly Judged[]
  readonly warnings: readonly string[]
}

const USUAL_ENTRIES = /^(?:.*\/)?(?:main|__main__|app|index|run|cli)\.\w+$/

/** Lays the blocks out as files. */
export function assemble(selection: Selection, context: ExtractContext): Assembled | NoCandidate {
  const { language, options } = context
  const known = options.files ?? {}
  const entry = entryFor(selection, context)
  const parts = partsByPath(selection, context, entry)
  const warnings = [...selection.warnings, ...parts.warnings]
  const isProgram = (path: string): boolean => {
    const written = languageOfPath(path) ?? parts.files.get(path)?.[0]?.is
    return written !== undefined && runsAs(written, language)
  }
  const programs = [...parts.files.keys()].filter(isProgram)
  const only = programs.length === 1 ? programs[0] : undefined
  if (programs.length === 0 && !Object.hasOwn(known, entry))
    return wrongLanguage(selection.labelled, language)
  const isFree = !Object.hasOwn(known, entry) && !parts.files.has(entry)
  if (only !== undefined && isFree && !Object.hasOwn(known, only)) {
    parts.files.set(entry, parts.files.get(only) ?? [])
    parts.files.delete(only)
    warnings.push('path-renamed')
  }
  const files = Object.fromEntries(
    [...parts.files].map(([path, blocks]) => [
      path,
      blocks.map(({ code }) => code.replace(/\n*$/, '\n')).join('\n\n'),
    ]),
  )
  for (const [path, text] of Object.entries(files)) {
    const elsewhere = Object.entries(files).flatMap(([other, its]) => (other === path ? [] : [its]))
    const omission = findOmission(text, languageOfPath(path) ?? language, {
      before: textAt(known, path),
      noted: textAt(known, path) ?? onlyFile(known),
      elsewhere: elsewhere.join('\n'),
    })
    if (omission !== undefined) return leftOut(omission, path)
  }
  const chosen = chooseEntry(files, known, entry, programs)
  if (chosen.guessed) warnings.push('entry-guessed')
  const used = [...parts.files.values()].flat()
  const path = Object.hasOwn(files, chosen.entry) ? chosen.entry : (Object.keys(files)[0] ?? chosen.entry)
  const found = used.flatMap((one) => [...one.warnings, ...(one.block.closed ? [] : ['fence-unclosed'])])
  return {
    files,
    entry: chosen.entry,
    code: textAt(files, path) ?? '',
    used,
    warnings: [...found, ...warnings],
  }
}

/** The file the program goes to: as asked; else where there is one already; else where its text has to be. */
function entryFor({ program, labelled }: Selection, { language, options }: ExtractContext): string {
  const usual = defaultEntry(language)
  if (options.entry !== undefined) return options.entry
  if (options.files !== undefined && Object.hasOwn(options.files, usual)) return usual
  const parts = program.length > 0 ? program : labelled.filter(({ is }) => runsAs(is, language))
  return knownLanguage(language)?.entryOf?.(parts.map(({ code }) => code).join('\n')) ?? usual
}

/** Path → the blocks whose text goes there. */
function partsByPath(
  { program, labelled }: Selection,
  { language, options }: ExtractContext,
  entry: string,
): { files: Map<string, readonly Judged[]>; warnings: string[] } {
  const files = new Map<string, readonly Judged[]>()
  const warnings: string[] = []
  for (const path of new Set(labelled.map(({ block }) => block.path ?? entry))) {
    const same = labelled.filter(({ block }) => block.path === path)
    const choice =
      same.length > 1 && same.every(({ is }) => is === language) ? chooseProgram(same, undefined) : undefined
    files.set(path, choice?.chosen ?? same.slice(-1))
    warnings.push(...(choice?.warnings ?? []))
  }
  const hasProgram = [...files.values()].some(([first]) => first?.is === language)
  const adds = program.some(
    ({ outline }) => (outline?.defines.size ?? 0) > 0 && !importsFrom(outline?.imports, files),
  )
  const first = program[0]
  if (first === undefined || files.has(entry) || (hasProgram && !adds)) return { files, warnings }
  files.set(wishedPath(first, options.files) ?? entry, program)
  return { files, warnings }
}

/** A path in a comment of the code counts only when it is a file that is known already. */
function wishedPath({ block }: Judged, known: ExtractContext['options']['files']): string | undefined {
  return block.path !== undefined && known !== undefined && Object.hasOwn(known, block.path)
    ? block.path
    : undefined
}

function importsFrom(imports: ReadonlySet<string> | undefined, files: ReadonlyMap<string, unknown>): boolean {
  return [...files.keys()].some((path) => imports?.has(path.replace(/\.\w+$/, '').split('/')[0] ?? ''))
}

function chooseEntry(
  files: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
  entry: string,
  programs: readonly string[],
): { entry: string; guessed: boolean } {
  if (Object.hasOwn(files, entry) || Object.hasOwn(known, entry)) return { entry, guessed: false }
  const guess = programs.find((path) => USUAL_ENTRIES.test(path)) ?? programs.at(-1) ?? entry
  return { entry: guess, guessed: programs.length > 1 }
}

function onlyFile(known: Readonly<Record<string, string>>): string | undefined {
  const texts = Object.values(known)
  return texts.length === 1 ? texts[0] : undefined
}
