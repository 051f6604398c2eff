import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = readFileSync(new URL('../../src/contract/errors.ts', import.meta.url), 'utf8')
const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')

/** Names that stand at one depth of the text between two marks; interfaces leave nothing else to look at. */
function between(text: string, start: string, end: string, name: RegExp): string[] {
  const from = text.indexOf(start)
  expect(from).toBeGreaterThan(-1)
  return [...text.slice(from, text.indexOf(end, from)).matchAll(name)].map(([, found]) => String(found))
}

test('docs/errors.md has one heading for each code, in the order of the table of codes', () => {
  const codes = between(source, 'export interface MendloopErrorDetails {', '\n}\n', /^ {2}([A-Z_]+):/gm)
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(codes.length).toBeGreaterThan(5)
  expect(headings).toEqual(codes)
})

test('each code has a paragraph on what to do', () => {
  const sections = page.split(/^## /m).slice(1)
  const silent = sections
    .filter((section) => !section.includes('*What to do:*'))
    .map((section) => section.split('\n')[0])
  expect(silent).toEqual([])
})

test('docs/errors.md explains each reason for which a model request fails', () => {
  const reasons = between(source, 'export type ModelFailureReason =', '\n\n', /'([a-z-]+)'/g)
  const section = page.slice(page.indexOf('## MODEL_REQUEST_FAILED'), page.indexOf('## RECORDING_EXHAUSTED'))
  const explained = [...section.matchAll(/`([a-z-]+)`/g)].map(([, reason]) => reason)
  expect(reasons.length).toBeGreaterThan(5)
  expect(reasons.filter((reason) => !explained.includes(reason))).toEqual([])
})
