// The matrix of guarantees and the reports of the kit as Markdown, for documentation.
import type { Guarantees } from '../../contract/sandbox.js'
import type { ConformanceReport, ConformanceResult } from './conformance-case.js'

const PROPERTIES: readonly (keyof Guarantees)[] = [
  'isolation',
  'network',
  'files',
  'processes',
  'descendants',
  'memory',
  'pids',
  'disk',
  'syscalls',
]

/**
 * A Markdown table of what each sandbox enforces: a row for each property, a column for each sandbox.
 *
 * @param sandboxes - each under the name that its column is to have
 */
export function guaranteesMatrix(
  sandboxes: readonly { readonly name: string; readonly guarantees: Guarantees }[],
): string {
  return table(
    ['', ...sandboxes.map(({ name }) => name)],
    PROPERTIES.map((property) => [property, ...sandboxes.map(({ guarantees }) => guarantees[property])]),
  )
}

/**
 * Reports as one Markdown table: a row for each promise, a column for each sandbox; then, in words, what was broken and
 * why promises were not probed.
 *
 * @param reports - each under the name that its column is to have
 */
export function conformanceMarkdown(
  reports: readonly { readonly name: string; readonly report: ConformanceReport }[],
): string {
  const promises = new Map(
    reports.flatMap(({ report }) => report.results.map(({ name, group }) => [name, group])),
  )
  const rows = [...promises].map(([promise, group]) => [
    group,
    promise,
    ...reports.map(({ report }) => SIGNS[resultOf(report, promise)?.status ?? 'skipped']),
  ])
  const claimed = reports.flatMap(({ name, report: { guarantees } }) =>
    guarantees ? [{ name, guarantees }] : [],
  )
  const parts = [
    ...(claimed.length > 0 ? [guaranteesMatrix(claimed)] : []),
    table(['', 'promise', ...reports.map(({ name }) => name)], rows),
    `${SIGNS.passed} kept · ${SIGNS.failed} broken · ${SIGNS.skipped} not claimed, or not probed`,
    ...reports.flatMap(({ name, report }) => [
      ...inWords(name, report, 'failed'),
      ...inWords(name, report, 'skipped'),
    ]),
  ]
  return `${parts.join('\n\n')}\n`
}

const SIGNS: Readonly<Record<ConformanceResult['status'], string>> = {
  passed: '✓',
  failed: '✗',
  skipped: '–',
}

const resultOf = (report: ConformanceReport, promise: string): ConformanceResult | undefined =>
  report.results.find(({ name }) => name === promise)

function inWords(name: string, { results }: ConformanceReport, status: 'failed' | 'skipped'): string[] {
  const lines = results
    .filter((result) => result.status === status)
    .map((result) => `- ${oneLine(result.name)}: ${oneLine(result.reason ?? '')}`)
  return lines.length === 0 ? [] : [`**${name}**, ${SIGNS[status]}:\n\n${lines.join('\n')}`]
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
