import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordFromJsonl } from '@mendloop/core'
import { expect, test } from 'vitest'
import { textWidth } from '../demo/view/text-width.js'
import { freshFolder, leftovers, startDemo } from './helpers/start-demo.js'

const DATA = new URL('../data/', import.meta.url)
const LONG_MS = 90_000
const COUNT_FALLEN =
  'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute("SELECT COUNT(*), SUM(after_cents = 0) FROM falling_customers").fetchone())'

test(
  'all three tasks fail first, are mended, are verified, and leave nothing but their files',
  async () => {
    const out = freshFolder()
    const { code, stdout, stderr } = await startDemo(['--out', out]).ended
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'recorded replies, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set',
    )
    expect(stdout).not.toContain('\u001b')
    for (const line of stdout.split('\n')) {
      expect(line).not.toMatch(/ $/)
      if (!line.startsWith('files ')) expect(textWidth(line)).toBeLessThanOrEqual(80)
    }
    const attempts = { 'price-feed': 3, 'falling-customers': 2, incidents: 3 }
    for (const [id, count] of Object.entries(attempts)) {
      const record = recordFromJsonl(readFileSync(join(out, id, 'record.jsonl'), 'utf8'))
      const ends = record.events.filter((event) => event.type === 'attempt-end')
      expect(ends.map(({ result }) => result.passed)).toEqual([...Array(count - 1).fill(false), true])
      // Each failure is a real one: a check that ran, and says what it found.
      for (const { result } of ends.slice(0, -1)) expect(result.failures.length).toBeGreaterThan(0)
      expect(record.events.at(-1)).toMatchObject({ type: 'run-end', status: 'verified' })
    }
    expect(stdout).toContain("ValueError: could not convert string to float: 'n/a'")
    expect(readdirSync(join(out, 'price-feed')).sort()).toEqual(['prices.py', 'record.jsonl', 'summary.json'])
    expect(readdirSync(join(out, 'falling-customers')).sort()).toEqual([
      'answer.sqlite',
      'record.jsonl',
      'spending.py',
    ])
    expect(readdirSync(join(out, 'incidents')).sort()).toEqual([
      'chart.svg',
      'incidents.py',
      'record.jsonl',
      'summary.json',
      'table.csv',
    ])
    expect(leftovers()).toEqual([])

    const summary = JSON.parse(readFileSync(join(out, 'price-feed/summary.json'), 'utf8'))
    expect(summary.skipped).toEqual([{ line: 288, sku: 'FR-12009', unit_price: 'n/a' }])
    expect(Object.keys(summary.categories)).toHaveLength(5)
    const answer = execFileSync('python3', [
      '-I',
      '-c',
      COUNT_FALLEN,
      join(out, 'falling-customers/answer.sqlite'),
    ])
    expect(answer.toString().trim()).toBe('114 32')
  },
  LONG_MS,
)

test(
  'a zip gives the same counts as the CSV in it, and own points and a radius are followed',
  async () => {
    const out = freshFolder()
    const zip = join(out, 'incidents.zip')
    const pack =
      'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED).write(sys.argv[2], "folder/data.csv")'
    execFileSync('python3', ['-I', '-c', pack, zip, new URL('incidents.csv', DATA).pathname])
    const points = [
      '--point',
      'Café & <bar> "東"=37.769247,-122.426956',
      '--point',
      'far=0,0',
      '--point',
      'B=37.805052,-122.432952',
    ]
    const zipped = await startDemo(['--csv', zip, '--radius', '350', ...points, '--out', out]).ended
    expect(zipped).toMatchObject({ code: 0, stderr: '' })
    const summary = JSON.parse(readFileSync(join(out, 'incidents/summary.json'), 'utf8'))
    expect(summary).toMatchObject({ radius_m: 350, rows: 5000, skipped: 2 })
    expect(Object.keys(summary.points)).toEqual(['Café & <bar> "東"', 'far', 'B'])
    expect(summary.points.far).toEqual({ total: 0, by_year: { 2023: 0, 2024: 0 } })

    const plain = await startDemo(['--task', 'c', '--radius', '350', '--out', out]).ended
    expect(plain.code).toBe(0)
    const again = JSON.parse(readFileSync(join(out, 'incidents/summary.json'), 'utf8'))
    expect(again.points.A).toEqual(summary.points['Café & <bar> "東"'])
    expect(again.points.B).toEqual(summary.points.B)
  },
  LONG_MS,
)

test.each([
  [['--csv', 'nowhere.csv'], 'There is no file'],
  [['--frobnicate'], "Unknown option '--frobnicate'"],
])('%j ends with code 2 and one sentence, before any program runs', async (args, sentence) => {
  const out = freshFolder()
  const ended = await startDemo([...args, '--out', join(out, 'results')]).ended
  expect(ended.code).toBe(2)
  expect(ended.stdout).toBe('')
  expect(ended.stderr).toMatch(/^error: .*\n$/)
  expect(ended.stderr).toContain(sentence)
  expect(existsSync(join(out, 'results'))).toBe(false)
})

test('an output folder that cannot be made is one sentence', async () => {
  const out = freshFolder()
  writeFileSync(join(out, 'file'), '')
  const ended = await startDemo(['--task', 'a', '--out', join(out, 'file')]).ended
  expect(ended.code).toBe(2)
  expect(ended.stderr).toMatch(/^error: The folder .* cannot be written to: .*\n$/)
})

test('without a Python on PATH the demo says so and what to do', async () => {
  const out = freshFolder()
  const ended = await startDemo(['--out', out], { PATH: join(out, 'nothing') }).ended
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/^error: There is no python3 on PATH\. Install Python 3\.9 or later.*\n$/)
  expect(ended.stdout).not.toContain('attempt 1')
})

test('--help explains the options and ends well', async () => {
  const ended = await startDemo(['--help']).ended
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toContain('--point NAME=LAT,LON')
})
