// One failure in words: all of it, or one line.
import type { Failure } from '../contract/verify.js'
import { callsText } from './calls-text.js'
import { clipText } from './clip-text.js'
import { clipLine, oneLine, QUOTE_MARK, quoteExcerpt, quoteMessage } from './quote-text.js'
import { valuesText } from './value-text.js'

/** Makes text that came out of an execution fit for a model. */
export type Clean = (text: string) => string

const CAUSE_CHARS = 600
/** Room for further lines of a message whose first line took all there was. */
const SMALLEST_CHARS = 100
const LOCALS_SHOWN = 12
const LINE_CHARS = 200
const CAUSES_SHOWN = 4

/**
 * The line that says it, and where: what must not be missing.
 *
 * @param limitChars - where further lines of the message are cut; its first line and the place are kept whole
 */
export function failureHead(failure: Failure, clean: Clean, limitChars = Number.POSITIVE_INFINITY): string {
  const [first, ...more] = quoteMessage(clean(failure.message))
  const test = failure.test === undefined ? '' : `Test ${clipLine(clean(failure.test), LINE_CHARS)}: `
  const where = whereText(failure, clean)
  const lines = [`${test}${first}`, ...(where === '' ? [] : [`at ${where}`])]
  const room = limitChars - lines.join('\n').length - 1
  const rest = more.length === 0 ? '' : clipText(more.join('\n'), Math.max(SMALLEST_CHARS, room), QUOTE_MARK)
  return rest === '' ? lines.join('\n') : [lines[0], rest, ...lines.slice(1)].join('\n')
}

/** Everything else there is to say of a failure, in parts, the more useful ones first. */
export function failureDetails(
  failure: Failure,
  clean: Clean,
  files: Readonly<Record<string, string>> = {},
): readonly string[] {
  const parts: string[] = []
  const values = valuesText(failure, clean)
  if (values !== '') parts.push(values)
  if (failure.excerpt !== undefined) parts.push(quoteExcerpt(failure.excerpt))
  const calls = callsText(failure, clean, files)
  if (calls !== '') parts.push(calls)
  parts.push(...causeParts(failure, clean))
  const locals = localsText(failure, clean)
  if (locals !== '') parts.push(locals)
  return parts
}

/** A failure in one line. */
export function failureLine(failure: Failure, clean: Clean): string {
  const test = failure.test === undefined ? '' : `${failure.test}: `
  const [first = ''] = failure.message.split('\n')
  const where = whereText(failure, clean)
  return clipLine(`- ${clean(`${test}${first}`)}${where === '' ? '' : ` (${where})`}`, LINE_CHARS)
}

function whereText({ location, frames = [] }: Failure, clean: Clean): string {
  if (location === undefined) return ''
  const name = frames.findLast(({ path }) => path === location.path)?.function
  const inside = name === undefined || name === '<module>' ? '' : `, in ${name}`
  return oneLine(clean(`${location.path}, line ${location.line}${inside}`))
}

function causeParts(failure: Failure, clean: Clean): string[] {
  const parts: string[] = []
  let cause = failure.cause
  for (; cause !== undefined && parts.length < CAUSES_SHOWN; cause = cause.cause) {
    const head = `It came from an earlier exception: ${failureHead(cause, clean, CAUSE_CHARS)}`
    // The lines are shown again only when they are others.
    const elsewhere =
      cause.location?.path !== failure.location?.path || cause.location?.line !== failure.location?.line
    parts.push(cause.excerpt !== undefined && elsewhere ? `${head}\n${quoteExcerpt(cause.excerpt)}` : head)
  }
  if (cause !== undefined) parts.push('It came from further exceptions, left out here.')
  return parts
}

function localsText({ locals }: Failure, clean: Clean): string {
  const entries = Object.entries(locals ?? {})
  if (entries.length === 0) return ''
  const lines = entries
    .slice(0, LOCALS_SHOWN)
    .map(([name, value]) => `  ${clipLine(clean(`${name} = ${value}`), LINE_CHARS)}`)
  const rest = entries.length - lines.length
  return ['Local variables there:', ...lines, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n')
}
