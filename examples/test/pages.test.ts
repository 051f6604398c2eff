import { expect, test } from 'vitest'
import { summaryLines, type TaskSummary } from '../demo/view/pages.js'
import { createStyle } from '../demo/view/style.js'
import { textWidth } from '../demo/view/text-width.js'

const summary = (title: string, status: string, wallMs: number): TaskSummary => ({
  title,
  status,
  spent: {
    attempts: 3,
    formatErrors: 0,
    editErrors: 0,
    infrastructureErrors: 0,
    modelCalls: 3,
    usage: { estimated: true },
    totalTokens: 14_327,
    wallMs,
    executionMs: 990,
  },
})
const SUMMARIES = [
  summary('A question to a database', 'verified', 990),
  summary('Incidents near two points', 'environment-lost', 185_000),
]
const table = (width: number): string[] =>
  summaryLines({ width, style: createStyle(false) }, SUMMARIES, false)

test.each([30, 40, 60, 70, 79, 80, 81, 90, 100])(
  'the closing table is never wider than %i columns and loses no number',
  (width) => {
    const lines = table(width)
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
    const text = lines.join(' ').replace(/\s+/g, ' ')
    for (const value of ['environment-lost', '14,327', 'not known', '990 ms', '3 min 05 s'])
      expect(text).toContain(value)
  },
)

test('titles are whole where there is room', () => {
  expect(table(100).join('\n')).toContain('Incidents near two points')
})
