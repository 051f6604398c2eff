// What an alternative is told of the others: that it should differ, and once it did not, from what.
import type { Candidate } from '../contract/candidate.js'
import { programText } from '../feedback/prompt.js'
import { clipLine } from '../feedback/quote-text.js'
import { outlineOf } from '../language/outline.js'

/** All programs shown together, in characters: they are in every turn. */
const PROGRAMS_CHARS = 4000
/** A longer program is told by what it defines. */
const WHOLE_PROGRAM_CHARS = 1500
const OUTLINE_CHARS = 400

/** Who is told. */
export interface AlternativeNoteInput {
  /** The task's own note; it comes first, word for word. */
  readonly note: string | undefined
  /** Which alternative, 1-based. */
  readonly alternative: number
  /** How many are wanted. */
  readonly of: number
  readonly language: string
  /** For one that came to the code of another: the programs there are, that one first. */
  readonly others?: readonly Candidate[]
}

/** The note for a run; the task's own for the first alternative, whose prompt is that of any run. */
export function alternativeNote(input: AlternativeNoteInput): string | undefined {
  const { note, alternative, others = [] } = input
  const own = others.length > 0 ? againText(input, others) : alternative > 1 ? firstText(input) : undefined
  return own === undefined || note === undefined ? (own ?? note) : `${note}\n\n${own}`
}

const DIFFERENCE =
  'another algorithm, data structure or library, not other names or another layout. It has to be as correct as any'

function firstText({ alternative, of }: AlternativeNoteInput): string {
  const taken =
    alternative === 2
      ? 'the approach that comes to mind first is taken'
      : `the ${alternative - 1} approaches that come to mind first are taken`
  return `This is alternative ${alternative} of ${of}, each written by itself: ${taken}. Choose ${DIFFERENCE}.`
}

function againText(
  { alternative, of, language }: AlternativeNoteInput,
  others: readonly Candidate[],
): string {
  return [
    `This is alternative ${alternative} of ${of}. An earlier try came to the same code as the first program below. Choose ${DIFFERENCE}. What is there already, and is not to be sent again:`,
    ...shownPrograms(others, language),
  ].join('\n\n')
}

function shownPrograms(others: readonly Candidate[], language: string): string[] {
  const shown: string[] = []
  let room = PROGRAMS_CHARS
  for (const [index, candidate] of others.entries()) {
    const whole = programText(candidate, language)
    const text =
      whole.length <= Math.min(room, WHOLE_PROGRAM_CHARS) ? whole : outlineText(candidate, language)
    if (text.length > room) return [...shown, `… and ${others.length - index} more`]
    shown.push(text)
    room -= text.length
  }
  return shown
}

function outlineText({ entry, files }: Candidate, language: string): string {
  const text = files[entry] ?? ''
  const names = [...(outlineOf(text, language)?.defines ?? [])]
  const defines = names.length === 0 ? '' : `, which defines ${names.join(', ')}`
  return clipLine(`${entry} of ${text.trimEnd().split('\n').length} lines${defines}`, OUTLINE_CHARS)
}
