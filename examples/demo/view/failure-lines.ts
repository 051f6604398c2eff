// One check's verdict, and each failure with its place, its excerpt, what should have come and what came.
import type { Failure, NamedVerdict } from '@mendloop/core'
import { indented, type Page, plural, quoted } from './layout.js'
import { cutToWidth, plainLine, plainLines, textWidth, wrap } from './text-width.js'

const MOST_FAILURES = 3

/**
 * Lines of a verdict.
 *
 * @param told - failures that were shown before and need no second telling, each with the check that told it; grows
 */
export function verdictLines(
  page: Page,
  label: string,
  verdict: NamedVerdict,
  told: Map<string, string>,
): string[] {
  const tests = verdict.tests ?? []
  const passed = tests.filter(({ status }) => status === 'pass').length
  if (verdict.status === 'pass')
    return headLines(
      page,
      label,
      `✓ ${verdict.name}`,
      page.style.green,
      tests.length > 0 ? plural(tests.length, 'test') : '',
    )
  const fresh = verdict.failures.filter((one) => !told.has(keyOf(one)))
  const teller = verdict.failures.map((one) => told.get(keyOf(one))).find((name) => name !== undefined)
  for (const one of fresh) told.set(keyOf(one), verdict.name)
  const notes = [
    verdict.status === 'not-run' ? 'did not run' : '',
    tests.length > 0 ? `${passed} of ${plural(tests.length, 'test')} passed` : '',
    fresh.length === 0 && teller !== undefined ? `for the same reason as ${JSON.stringify(teller)}` : '',
  ]
  const note = notes.filter((part) => part !== '').join(', ')
  const [mark, paint] = verdict.status === 'fail' ? ['✗', page.style.red] : ['–', page.style.yellow]
  const shown = fresh.slice(0, MOST_FAILURES)
  const left = fresh.length - shown.length
  return [
    ...headLines(page, label, `${mark} ${verdict.name}`, paint, note),
    ...shown.flatMap((one) => failureLines(page, one)),
    ...(left > 0 ? [indented(page.style.dim(`  … and ${plural(left, 'more failure')}`))] : []),
  ]
}

/** The check's name, and a note beside it where there is room, else below. */
function headLines(
  { style, width }: Page,
  label: string,
  name: string,
  paint: (text: string) => string,
  note: string,
): string[] {
  const room = Math.max(20, width - 9)
  const shown = cutToWidth(plainLine(name), room)
  const head = `${style.bold(label.padEnd(9))}${paint(shown)}`
  if (note === '') return [head]
  const plain = plainLine(note)
  if (textWidth(shown) + 2 + textWidth(plain) <= room) return [`${head}  ${style.dim(plain)}`]
  return [head, ...wrap(plain, room - 2).map((line) => indented(`  ${style.dim(line)}`))]
}

const keyOf = ({ kind, message, expected, actual }: Failure): string =>
  JSON.stringify([kind, message, expected, actual])

function failureLines(page: Page, failure: Failure): string[] {
  const { style, width } = page
  const room = Math.max(20, width - 11)
  const message = plainLines(failure.message)
    .slice(0, 4)
    .flatMap((line) => wrap(line, room))
    .slice(0, 6)
  const lines = message.map((line) => indented(`  ${style.red(line)}`))
  const { location, excerpt } = failure
  if (location !== undefined) {
    const inside = failure.frames?.at(-1)?.function
    const where = `${location.path}, line ${location.line}${inside === undefined ? '' : `, in ${inside}`}`
    lines.push(indented(`  ${style.dim(cutToWidth(plainLine(where), room))}`))
  }
  if (excerpt !== undefined)
    for (const line of excerpt.split('\n').slice(0, 9))
      lines.push(...quoted(page, [line], line.startsWith('>') ? style.yellow : style.dim))
  return [...lines, ...valueLines(page, failure)]
}

/** What was called, what should have come and what came: side by side where they fit. */
function valueLines({ style, width }: Page, { input, expected, actual }: Failure): string[] {
  const room = Math.max(20, width - 11)
  const values = Object.entries({ input, expected, actual })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]): [string, string] => [name, plainLine(value)])
  const beside = values.map(([name, value]) => `${style.dim(name)} ${style.cyan(value)}`).join('   ')
  if (values.length > 1 && textWidth(beside) <= Math.min(room, 64)) return [indented(`  ${beside}`)]
  return values.flatMap(([name, value]) => {
    const [first = '', ...more] = wrap(value, Math.max(20, room - 9)).slice(0, 3)
    return [
      indented(`  ${style.dim(name.padEnd(9))}${style.cyan(first)}`),
      ...more.map((line) => indented(`  ${' '.repeat(9)}${style.cyan(line)}`)),
    ]
  })
}
