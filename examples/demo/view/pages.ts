// The report round the runs: what is used, each task's introduction and result, and the table at the end.
import type { RepairResult, Spent } from '@mendloop/core'
import type { ModelChoice } from '../choose-model.js'
import type { SandboxChoice } from '../choose-sandbox.js'
import type { DemoTask } from '../tasks/demo-task.js'
import { duration, fileSize, indented, labelled, type Page, plural, quoted, rule } from './layout.js'
import { cutToWidth, textWidth, wrap } from './text-width.js'

/** The first lines: what this is, who writes and where it runs. */
export function headerLines(page: Page, model: ModelChoice, sandbox: SandboxChoice): string[] {
  const { style } = page
  const { isolation, network } = sandbox.guarantees
  const where = `${sandbox.provider.id}, isolation "${isolation}", Python ${sandbox.python}`
  const meaning = [
    'No isolation is offered here: the programs run as ordinary processes of this user, and can read your files' +
      `${network === 'host' ? ' and use the network' : ''}.`,
    'Each gets a private folder, a clean environment, limits and a kill of everything it starts: that stops accidents, not attacks.',
  ]
  return [
    style.bold('Mendloop: a model writes a program, it is run, and mended until its checks pass.'),
    '',
    ...labelled(page, 'model', model.description, model.recorded ? style.yellow : style.cyan),
    ...labelled(page, 'sandbox', where, style.cyan),
    ...(sandbox.fallenBack ? meaning.flatMap((line) => labelled(page, '', line, style.yellow)) : []),
  ]
}

/** A task's introduction. */
export function taskLines(page: Page, { letter, title, question, inputs, task }: DemoTask): string[] {
  const { style } = page
  return [
    '',
    '',
    rule(page, `task ${letter}: ${title}`, '━'),
    ...labelled(page, 'goal', question),
    ...inputs.flatMap(({ name, sizeBytes, head }) => [
      ...labelled(page, 'input', `${name}, ${fileSize(sizeBytes)}`),
      ...quoted(page, head, style.dim),
    ]),
    ...labelled(page, 'checks', checkNames(task).join(', ')),
  ]
}

/** The task's checks, and the one that the loop adds: that the files asked for are there. */
const checkNames = ({ verify, outputs = [] }: DemoTask['task']): string[] => [
  ...verify.map(({ name }) => name),
  ...(outputs.length > 0 ? [`outputs (${outputs.join(', ')} written)`] : []),
]

/** The checks that the last attempt did not pass. */
function failedAtLast({ attempts }: RepairResult): string {
  const failing = attempts.at(-1)?.verdicts.filter(({ status }) => status !== 'pass') ?? []
  return failing.length === 0 ? '' : `; at the last one failed: ${failing.map(({ name }) => name).join(', ')}`
}

/** How a task ended, in one sentence. */
function endingText(result: RepairResult): string {
  const tried = plural(result.spent.attempts, 'attempt')
  switch (result.status) {
    case 'verified':
      return `verified on attempt ${result.spent.attempts}: every check passed`
    case 'exhausted':
      return `not verified: the budget "${result.budget}" ended after ${tried}${failedAtLast(result)}`
    case 'environment-lost':
      return `not verified: ${result.cause}`
    case 'stalled':
      return `not verified: ${result.reason}${failedAtLast(result)}`
    case 'needs-human':
      return `not verified: ${result.handover.question}`
    case 'aborted':
      return 'stopped before it was verified'
  }
}

/** A task's result: the ending, the answer, and where it all is. */
export function resultLines(
  page: Page,
  task: DemoTask,
  result: RepairResult,
  folder: string,
  files: readonly string[],
): string[] {
  const { style } = page
  const verified = result.status === 'verified'
  const [mark, paint] = verified ? ['✓', style.green] : ['✗', style.red]
  return [
    '',
    ...labelled(page, 'result', `${mark} ${endingText(result)}`, paint),
    ...(verified ? task.answer(result).flatMap((line) => answerLine(page, line)) : []),
    ...labelled(page, 'files', `${folder}: ${files.join(', ')}`, style.dim),
  ]
}

/** Columns of an answer are kept as they are, where they fit. */
const answerLine = (page: Page, line: string): string[] =>
  textWidth(line) <= page.width - 9 ? [indented(line)] : labelled(page, '', line)

/** What one task came to. */
export interface TaskSummary {
  readonly title: string
  readonly status: string
  readonly spent: Spent
}

/** The tasks that were not begun, when something ended the demo before them. */
export function notTriedLines(page: Page, tasks: readonly DemoTask[]): string[] {
  if (tasks.length === 0) return []
  const names = tasks.map(({ letter, title }) => `task ${letter} (${title})`).join(', ')
  return ['', ...noteLines(page, `not tried: ${names}`)]
}

/** Text across the page. */
export const noteLines = ({ width }: Page, text: string): string[] => wrap(text, width)

/** A title is cut down to this; a page that has no room for it gets lines instead of a table. */
const LEAST_TITLE = 12

/** The table of all tasks. */
export function summaryLines(page: Page, summaries: readonly TaskSummary[], recorded: boolean): string[] {
  const { style } = page
  const head = ['task', 'result', 'attempts', 'tokens', 'cost', 'programs', 'wall']
  const rows = summaries.map(({ title, status, spent }) => [
    title,
    status,
    String(spent.attempts),
    `${spent.usage.estimated === true ? '~' : ''}${spent.totalTokens.toLocaleString('en-US')}`,
    recorded || spent.modelCalls === 0
      ? 'nothing'
      : spent.costUsd === undefined
        ? 'not known'
        : `$${spent.costUsd.toFixed(4)}`,
    duration(spent.executionMs),
    duration(spent.wallMs),
  ])
  const paint = (status: string): ((text: string) => string) =>
    status === 'verified' ? style.green : style.red
  const widths = head.map((name, at) =>
    Math.max(...[name, ...rows.map((row) => row[at] ?? '')].map(textWidth)),
  )
  const tooWide = widths.reduce((sum, width) => sum + width + 2, -2) - page.width
  if (tooWide > 0) {
    const room = (widths[0] ?? 0) - tooWide
    if (room < LEAST_TITLE)
      return ['', ...rows.flatMap((row) => ['', ...rowLines(page, head, row, paint(row[1] ?? ''))])]
    widths[0] = room
    for (const row of rows) row[0] = cutToWidth(row[0] ?? '', room)
  }
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => {
        const blanks = ' '.repeat((widths[at] ?? 0) - textWidth(cell))
        return at < 2 ? cell + blanks : blanks + cell
      })
      .join('  ')
      .trimEnd()
  return ['', '', style.bold(line(head)), ...rows.map((row) => paint(row[1] ?? '')(line(row)))]
}

/** A row as lines: the title and, below it, each cell after its heading. */
function rowLines(
  { style, width }: Page,
  head: readonly string[],
  [title = '', ...cells]: readonly string[],
  paint: (text: string) => string,
): string[] {
  const text = cells.map((cell, at) => `${head[at + 1]} ${cell}`).join(' · ')
  return [
    ...wrap(title, width).map(style.bold),
    ...wrap(text, Math.max(1, width - 2)).map((line) => `  ${paint(line)}`),
  ]
}
