// The demo's own checks, against programs that are wrong, or that cheat.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Verifier, verifyOnce } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerCheck } from '../demo/checks/answer-check.js'
import { chartCheck } from '../demo/checks/chart-check.js'
import {
  countIncidents,
  incidentRecount,
  monthsBetween,
  type Request,
} from '../demo/checks/incident-recount.js'
import { inputUnchanged } from '../demo/checks/input-unchanged.js'
import { priceFeedRecount } from '../demo/checks/price-feed-recount.js'
import { recordedReplies } from '../demo/choose-model.js'
import { type IncidentFile, readIncidentFile } from '../demo/incident-file.js'
import { DEFAULT_REQUEST } from '../demo/tasks/incidents.js'
import { freshFolder } from './helpers/start-demo.js'

const sandbox = subprocess({ minimum: 'process' })
const data = (name: string): Buffer => readFileSync(new URL(`../data/${name}`, import.meta.url))

/** The program of a task's last recorded reply, the right one. */
const rightProgram = (id: string): string =>
  /```python\n([\s\S]*)```/.exec(recordedReplies(id).at(-1) ?? '')?.[1] ?? ''

interface Trial {
  readonly program: string
  readonly files: Readonly<Record<string, string | Uint8Array>>
  readonly args: readonly string[]
  readonly verifier: Verifier
}

/** What one check says of one program. */
async function judge({
  program,
  files,
  args,
  verifier,
}: Trial): Promise<{ status: string | undefined; said: string }> {
  const candidate = { files: { 'solution.py': program }, entry: 'solution.py' }
  const { verdicts } = await verifyOnce({
    candidate,
    language: 'python',
    files,
    args,
    verify: [verifier],
    sandbox,
  })
  return { status: verdicts[0]?.status, said: JSON.stringify(verdicts[0]?.failures) }
}

describe('the incidents', () => {
  const request: Request = DEFAULT_REQUEST
  let file: IncidentFile
  let otherFile: IncidentFile

  beforeAll(() => {
    file = readIncidentFile(new URL('../data/incidents.csv', import.meta.url).pathname)
    const path = join(freshFolder(), 'other.csv')
    writeFileSync(path, data('incidents.csv').toString('utf8').split('\n').slice(0, 3000).join('\n'))
    otherFile = readIncidentFile(path)
  })

  const trial = (program: string, kind: 'counts' | 'chart', on: IncidentFile = file): Trial => {
    const counts = () => countIncidents(on, request)
    return {
      program,
      files: {
        'incidents.csv': on.bytes,
        'request.json': JSON.stringify({ radius_m: request.radiusM, points: request.points }),
      },
      args: ['incidents.csv', 'request.json'],
      verifier: kind === 'counts' ? incidentRecount(on, request, counts) : chartCheck(request, counts),
    }
  }

  /** Runs the right program, then changes what it wrote. */
  const spoiling = (change: string): string =>
    `${rightProgram('incidents').replace(/\nif __name__[\s\S]*/, '')}\nmain()\nfrom pathlib import Path\n${change}\n`

  test.each(['counts', 'chart'] as const)('the right program passes: %s', async (kind) => {
    expect((await judge(trial(rightProgram('incidents'), kind))).status).toBe('pass')
  })

  test('numbers that were right for another file do not pass', async () => {
    const counts = countIncidents(file, request)
    const hardCoded = rightProgram('incidents').replace(
      'counts, months, rows, skipped = count(source, points, radius_m)',
      `counts = {"A": Counter(dict(zip(${JSON.stringify(counts.months)}, ${JSON.stringify(counts.byPoint[0])}))),` +
        ` "B": Counter(dict(zip(${JSON.stringify(counts.months)}, ${JSON.stringify(counts.byPoint[1])})))}\n` +
        `    months, rows, skipped = ${JSON.stringify(counts.months)}, 5000, 2`,
    )
    expect((await judge(trial(hardCoded, 'counts', file))).status).toBe('pass')
    expect((await judge(trial(hardCoded, 'counts', otherFile))).status).toBe('fail')
    expect((await judge(trial(hardCoded, 'chart', otherFile))).status).toBe('fail')
  })

  test.each([
    [
      'a total that is off by one',
      'p = Path("summary.json"); p.write_text(p.read_text().replace("412", "413"))',
      'expected":"412',
    ],
    [
      'a number as text',
      'p = Path("summary.json"); p.write_text(p.read_text().replace("412", chr(34) + "412" + chr(34)))',
      '412',
    ],
    [
      'a month too few',
      'p = Path("table.csv"); p.write_text("".join(p.read_text().splitlines(True)[:-1]))',
      'wrong number of lines',
    ],
    [
      'a wrong cell',
      'p = Path("table.csv"); p.write_text(p.read_text().replace("2023-05,17", "2023-05,18"))',
      'line 6 is wrong',
    ],
    ['no summary', 'Path("summary.json").unlink()', 'did not write the file summary.json'],
    ['a folder in place of a file', 'p = Path("summary.json"); p.unlink(); p.mkdir()', 'summary.json'],
    [
      'a link that leaves the workspace',
      'import os; os.unlink("summary.json"); os.symlink("/etc/hostname", "summary.json")',
      'summary.json',
    ],
    ['what is no JSON', 'Path("summary.json").write_bytes(b"\\xff{")', 'is not JSON'],
  ])('%s fails', async (_name, change, sentence) => {
    const verdict = await judge(trial(spoiling(change), 'counts'))
    expect(verdict.status).toBe('fail')
    expect(verdict.said.replaceAll('\\"', '"')).toContain(sentence)
  })

  const chart = (change: string): string =>
    `p = Path("chart.svg"); s = p.read_text(); p.write_text(${change})`

  test.each([
    ['a label that is not escaped', chart('s.replace("B, Marina", "B & Marina")'), 'not well-formed'],
    ['a chart that is cut', chart('s[:2000]'), 'not well-formed'],
    ['another kind of XML', chart('s.replace("svg", "sgv")'), 'is not SVG'],
    [
      'a line left out',
      chart('s.replace("data-point=" + chr(34) + "B", "data-other=" + chr(34) + "B")'),
      'the line of B',
    ],
    ['no legend', chart('s.replace("B, Marina", "the other")'), 'no text names B, Marina'],
    [
      'a line drawn flat',
      chart(
        '__import__("re").sub(r"(data-point=.B. points=.)([^\\"]*)", lambda m: m[1] + __import__("re").sub(r",[0-9.]+", ",300", m[2]), s)',
      ),
      'height',
    ],
    [
      'a chart upside down',
      chart('__import__("re").sub(r"(?<=[0-9]),([0-9.]+)", lambda m: "," + str(500 - float(m[1])), s)'),
      'not drawn higher',
    ],
  ])('%s fails', async (_name, change, sentence) => {
    const verdict = await judge(trial(spoiling(change), 'chart'))
    expect(verdict.status).toBe('fail')
    expect(verdict.said).toContain(sentence)
  })

  test('months go on over the end of a year', () => {
    expect(monthsBetween('2023-11', '2024-02')).toEqual(['2023-11', '2023-12', '2024-01', '2024-02'])
  })
})

describe('the database', () => {
  const shop = data('shop.sqlite')
  const quarters = ['2025-Q1', '2025-Q2'] as const
  const trial = (program: string, verifier: Verifier): Trial => ({
    program,
    files: { 'shop.sqlite': shop },
    args: ['shop.sqlite', 'answer.sqlite', ...quarters],
    verifier,
  })
  const answer = answerCheck(shop, 'answer.sqlite', quarters)
  const spoiling = (sql: string): string =>
    `${rightProgram('falling-customers').replace(/\nif __name__[\s\S]*/, '')}\nmain()\nanswer = sqlite3.connect("answer.sqlite")\n${sql}\nanswer.commit()\n`

  test('the right program passes', async () => {
    expect((await judge(trial(rightProgram('falling-customers'), answer))).status).toBe('pass')
    expect(
      (await judge(trial(rightProgram('falling-customers'), inputUnchanged('shop.sqlite', shop)))).status,
    ).toBe('pass')
  })

  test.each([
    [
      'a row too few',
      'answer.execute("DELETE FROM falling_customers WHERE customer_id = 6")',
      'wrong number of rows',
    ],
    [
      'a row too many',
      'answer.execute("INSERT INTO falling_customers VALUES (9999, \'x\', 2, 1, 1)")',
      'does not belong there',
    ],
    [
      'a wrong amount',
      'answer.execute("UPDATE falling_customers SET drop_cents = 1 WHERE customer_id = 6")',
      'customer 6 is wrong',
    ],
    [
      'another table',
      'answer.execute("ALTER TABLE falling_customers RENAME TO answers")',
      'no table falling_customers',
    ],
    [
      'no database',
      'answer.close(); open("answer.sqlite", "w").write("x" * 4096); answer = sqlite3.connect(":memory:")',
      'cannot be used',
    ],
    [
      'a module of ours in its place',
      'open("sqlite3.py", "w").write("raise SystemExit(0)"); answer.execute("DELETE FROM falling_customers")',
      'wrong number of rows',
    ],
    [
      'a changed shop beside a right answer',
      's = sqlite3.connect("shop.sqlite"); s.execute("DELETE FROM orders"); s.commit(); answer.execute("DELETE FROM falling_customers")',
      'wrong number of rows',
    ],
    ['something where the fresh copy goes', 'open(".check", "w").close()', '.check'],
  ])('%s fails', async (_name, sql, sentence) => {
    const verdict = await judge(trial(spoiling(sql), answer))
    expect(verdict.status).toBe('fail')
    expect(verdict.said).toContain(sentence)
  })

  test('an input that is changed or taken away fails', async () => {
    const unchanged = inputUnchanged('shop.sqlite', shop)
    const changed = 's = sqlite3.connect("shop.sqlite"); s.execute("CREATE TABLE x (y)"); s.commit()'
    expect(await judge(trial(spoiling(changed), unchanged))).toMatchObject({
      status: 'fail',
      said: expect.stringContaining('changed its input'),
    })
    const gone = 'import os; os.unlink("shop.sqlite")'
    expect(await judge(trial(spoiling(gone), unchanged))).toMatchObject({
      status: 'fail',
      said: expect.stringContaining('is gone'),
    })
  })
})

describe('the price feed', () => {
  const feed = data('price-feed.csv').toString('utf8')
  const trial = (program: string): Trial => ({
    program,
    files: { 'price-feed.csv': feed },
    args: ['price-feed.csv', 'summary.json'],
    verifier: priceFeedRecount(feed),
  })

  test('the right program passes, and its forerunner does not', async () => {
    expect((await judge(trial(rightProgram('price-feed')))).status).toBe('pass')
    const second = /```python\n([\s\S]*)```/.exec(recordedReplies('price-feed')[1] ?? '')?.[1] ?? ''
    const verdict = await judge(trial(second))
    expect(verdict).toMatchObject({ status: 'fail', said: expect.stringContaining('stock_value') })
  })

  test('a skipped row that is not reported fails', async () => {
    const silent = rightProgram('price-feed').replace('"skipped": skipped', '"skipped": []')
    expect(await judge(trial(silent))).toMatchObject({
      status: 'fail',
      said: expect.stringContaining('skipped'),
    })
  })
})
