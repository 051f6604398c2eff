// One failure in words: all of it, or one line.
import type { Failure, StackFrame } from '../contract/verify.js'
import { clipText } from './clip-text.js'

/** Makes text that came out of an execution fit for a model. */
export type Clean = (text: string) => string

const OUTER_FRAMES = 3
const INNER_FRAMES = 7
const VALUE_CHARS = 600
const LOCALS_SHOWN = 12
const LINE_CHARS = 200
const CAUSES_SHOWN = 4

/** The line that says it, and where: what must not be missing. */
export function failureHead(failure: Failure, clean: Clean): string {
  const test = failure.test === undefined ? '' : `Test ${clean(failure.test)}: `
  const where = whereText(failure)
  return `${test}${clean(failure.message)}${where === '' ? '' : `\nat ${where}`}`
}

/** Everything else there is to say of a failure, in parts, the more useful ones first. */
export function failureDetails(failure: Failure, clean: Clean): readonly string[] {
  const parts: string[] = []
  const values = [
    ['input', failure.input],
    ['expected', failure.expected],
    ['actual', failure.actual],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${clipText(clean(value), VALUE_CHARS)}`],
  )
  if (values.length > 0) parts.push(values.join('\n'))
  if (failure.excerpt !== undefined) parts.push(failure.excerpt)
  const calls = callsText(failure)
  if (calls !== '') parts.push(clean(calls))
  parts.push(...causeParts(failure, clean))
  const locals = localsText(failure, clean)
  if (locals !== '') parts.push(locals)
  return parts
}

/** A failure in one line. */
export function failureLine(failure: Failure, clean: Clean): string {
  const test = failure.test === undefined ? '' : `${failure.test}: `
  const [first = ''] = failure.message.split('\n')
  const where = whereText(failure)
  return clipText(
    clean(`- ${test}${first}${where === '' ? '' : ` (${where})`}`).replace(/\n/gu, ' '),
    LINE_CHARS,
  )
}

function whereText({ location, frames }: Failure): string {
  if (location === undefined) return ''
  const name = frames?.at(-1)?.function
  const inside = name === undefined || name === '<module>' ? '' : `, in ${name}`
  return `${location.path}, line ${location.line}${inside}`
}

/** The calls that led there; a single one is told by the place already. */
function callsText({ frames = [], foldedFrames = 0 }: Failure): string {
  const folded = foldedFrames === 0 ? [] : [`  (${counted(foldedFrames, 'call')} in libraries left out)`]
  if (frames.length < 2) return folded.length === 0 ? '' : folded.join('').trim()
  return ['Calls, outermost first:', ...frameLines(frames), ...folded].join('\n')
}

function frameLines(frames: readonly StackFrame[]): string[] {
  const lines: string[] = []
  const dropped = frames.length - OUTER_FRAMES - INNER_FRAMES
  frames.forEach((frame, index) => {
    if (dropped > 1 && index >= OUTER_FRAMES && index < OUTER_FRAMES + dropped) {
      if (index === OUTER_FRAMES) lines.push(`  … ${dropped} calls left out …`)
      return
    }
    const name = frame.function === undefined ? '' : `, in ${frame.function}`
    const source = frame.source === undefined ? '' : `: ${frame.source}`
    lines.push(clipText(`  ${frame.path}, line ${frame.line}${name}${source}`, LINE_CHARS))
  })
  return lines
}

function causeParts(failure: Failure, clean: Clean): string[] {
  const parts: string[] = []
  let cause = failure.cause
  for (; cause !== undefined && parts.length < CAUSES_SHOWN; cause = cause.cause) {
    const head = `It came from an earlier exception: ${clipText(failureHead(cause, clean), VALUE_CHARS)}`
    // The lines are shown again only when they are others.
    const elsewhere =
      cause.location?.path !== failure.location?.path || cause.location?.line !== failure.location?.line
    parts.push(cause.excerpt !== undefined && elsewhere ? `${head}\n${cause.excerpt}` : head)
  }
  if (cause !== undefined) parts.push('It came from further exceptions, left out here.')
  return parts
}

function localsText({ locals }: Failure, clean: Clean): string {
  const entries = Object.entries(locals ?? {})
  if (entries.length === 0) return ''
  const lines = entries
    .slice(0, LOCALS_SHOWN)
    .map(([name, value]) => `  ${clipText(clean(`${name} = ${value}`), LINE_CHARS)}`)
  const rest = entries.length - lines.length
  return ['Local variables there:', ...lines, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n')
}

/** `1 call`, `2 calls`. */
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
