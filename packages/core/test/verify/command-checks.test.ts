// commandSucceeds, reportPasses and jsonOutput, with real commands.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { MendloopError } from '../../src/contract/errors.js'
import { commandSucceeds, reportPasses } from '../../src/verify/command-succeeds.js'
import { jsonOutput } from '../../src/verify/json-output.js'
import { requires } from '../helpers/requires.js'
import { sharedVerdict } from '../helpers/shared-verdict.js'

const verdictOf = (verifier: Parameters<typeof sharedVerdict>[0], program = 'x = 1\n') =>
  sharedVerdict(verifier, { 'solution.py': program })
const TIMEOUT = { timeout: 60_000 }

describe.runIf(requires('python3'))('commandSucceeds', TIMEOUT, () => {
  test('passes what ends with code 0, and is named after the command', async () => {
    expect(await verdictOf(commandSucceeds('test -f solution.py'))).toMatchObject({
      status: 'pass',
      integrity: 'shared',
      name: 'test -f solution.py',
      failures: [],
    })
  })

  test('reads the failure of a command in the language of the task', async () => {
    const verdict = await verdictOf(
      commandSucceeds(['python3', '-c', 'import solution']),
      'x = 1\ny = x + None\n',
    )

    expect(verdict).toMatchObject({
      status: 'fail',
      failures: [{ kind: 'exception', location: { path: 'solution.py', line: 2 } }],
    })
  })

  test('reads a report that the command prints', async () => {
    const tap = 'TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n  message: "3 is not 4"\n  ...\n1..2\n'
    const verdict = await verdictOf(commandSucceeds(`printf '%s' '${tap}'; exit 1`))

    expect(verdict).toMatchObject({
      status: 'fail',
      tests: [
        { name: 'a', status: 'pass' },
        { name: 'b', status: 'fail' },
      ],
      failures: [{ kind: 'assertion', message: '3 is not 4', test: 'b' }],
    })
  })

  test.for([
    ['a failed test and code 0', 'not ok 1 - b\n1..1\n', 0, 'fail'],
    ['a cut report and code 0', 'ok 1 - b\n', 0, 'fail'],
    ['a right report and code 1', 'ok 1 - b\n1..1\n', 1, 'fail'],
    ['nothing but skips and code 0', 'ok 1 - b # SKIP\n1..1\n', 0, 'not-run'],
    ['a right report and code 0', 'ok 1 - b\n1..1\n', 0, 'pass'],
  ] as const)('takes %s for what it is', async ([, tap, code, status]) => {
    const verdict = await verdictOf(commandSucceeds(`printf '%s' 'TAP version 14\n${tap}'; exit ${code}`))

    expect(verdict.status).toBe(status)
    expect(verdict.failures.length > 0).toBe(status !== 'pass')
  })

  test('stops at its own limits', async () => {
    const verdict = await verdictOf(commandSucceeds('sleep 20', { limits: { wallMs: 500 } }))

    expect(verdict).toMatchObject({ status: 'fail', failures: [{ kind: 'timeout' }] })
  })
})

describe.runIf(requires('python3'))('reportPasses', TIMEOUT, () => {
  const writes = (xml: string, code = 0) => `printf '%s' '${xml}' > report.xml; exit ${code}`
  const suite = '<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>'

  test.for([
    ['passes a complete report', writes(suite), {}, 'pass', undefined],
    ['fails code 0 without a report', 'true', {}, 'fail', 'there is no report'],
    ['fails a cut report', writes(suite.slice(0, -9)), {}, 'fail', 'it ends within'],
    ['fails a right report and a bad end', writes(suite, 3), {}, 'fail', 'exit code 3'],
    ['fails a right report and the code of pytest for none', writes(suite, 5), {}, 'fail', 'exit code 5'],
    [
      'fails an error of the suite',
      writes('<testsuite errors="1"><testcase name="a"/></testsuite>'),
      {},
      'fail',
      'announces 1',
    ],
    [
      'fails another number of tests',
      writes(suite),
      { expectedTests: 2 },
      'fail',
      '2 tests should have run, and 1 did',
    ],
    ['fails without a named test', writes(suite), { expectedTests: ['b'] }, 'fail', 'did not: b'],
    ['does not pass an empty report', writes('<testsuite/>'), {}, 'not-run', 'No test was found'],
  ] as const)('%s', async ([, command, options, status, message]) => {
    const verdict = await verdictOf(reportPasses(command, { path: 'report.xml', ...options }))

    expect(verdict.status).toBe(status)
    expect(verdict.failures[0]?.message ?? '').toContain(message ?? '')
  })

  test('removes a report that was there before', async () => {
    const files = { 'solution.py': 'x = 1\n', 'report.xml': suite }

    expect(await sharedVerdict(reportPasses('true', { path: 'report.xml' }), files)).toMatchObject({
      status: 'fail',
    })
  })

  test('reads TAP from a file of that name', async () => {
    expect(
      await verdictOf(reportPasses("printf 'ok 1\\n1..1\\n' > out.tap", { path: 'out.tap' })),
    ).toMatchObject({ status: 'pass' })
  })
})

describe.runIf(requires('python3'))('jsonOutput', TIMEOUT, () => {
  const schema = z.strictObject({
    rows: z.array(z.object({ price: z.number().min(1) })),
    'the end': z.literal('ok'),
  })

  test('passes JSON of the right shape, printed or in a file', async () => {
    const value = '{"rows":[{"price":2}],"the end":"ok"}'

    expect(await verdictOf(jsonOutput(schema), `print('${value}')\n`)).toMatchObject({
      status: 'pass',
      integrity: 'shared',
    })
    const inFile = `open('out.json', 'w').write('${value}')\nprint('done')\n`
    expect(await verdictOf(jsonOutput(schema, { path: 'out.json' }), inFile)).toMatchObject({
      status: 'pass',
    })
  })

  test('says of each wrong value where it is, what should be there and what is', async () => {
    const verdict = await verdictOf(
      jsonOutput(schema),
      `print('{"rows":[{"price":2},{"price":"x"},{"price":0},{}],"the end":5,"more":1}')\n`,
    )

    expect(verdict.status).toBe('fail')
    expect(
      verdict.failures.map(({ kind, message, expected, actual }) => [
        kind,
        message.split(' is wrong')[0],
        expected,
        actual,
      ]),
    ).toEqual([
      ['schema', 'rows[1].price in standard output', 'number', '"x"'],
      ['schema', 'rows[2].price in standard output', 'at least 1', '0'],
      ['schema', 'rows[3].price in standard output', 'number', 'nothing'],
      ['schema', '["the end"] in standard output', '"ok"', '5'],
      ['schema', 'The value in standard output', 'no more', expect.stringContaining('"more":1')],
    ])
  })

  test.for([
    ['print("no json")', 'is not one JSON value'],
    ['pass', 'left nothing in standard output'],
    ['print("{}"); print("{}")', 'is not one JSON value'],
    ['raise ValueError("bad")', 'ValueError: bad'],
    ['print("[" * 100000)', 'is not one JSON value'],
    ['print("\\"" + "x" * 3000000 + "\\"")', 'were not kept'],
  ] as const)('fails %s', async ([program, message]) => {
    const verdict = await verdictOf(jsonOutput(z.unknown()), `${program}\n`)

    expect(verdict.status).toBe('fail')
    expect(verdict.failures[0]?.message).toContain(message)
  })

  test('tells no more than twenty issues, each of them short', async () => {
    const verdict = await verdictOf(
      jsonOutput(z.array(z.number())),
      'import json\nprint(json.dumps(["x" * 5000] * 100))\n',
    )

    expect(verdict.failures).toHaveLength(21)
    expect(verdict.failures.at(-1)?.message).toBe('In standard output, 80 more values are wrong.')
    expect(JSON.stringify(verdict.failures).length).toBeLessThan(20_000)
  })

  test('misses a file that the program did not write', async () => {
    const verdict = await verdictOf(jsonOutput(z.unknown(), { path: 'out.json' }))

    expect(verdict.failures[0]?.message).toBe('The program did not write the file out.json.')
  })
})

test.for([
  [() => commandSucceeds(''), 'must not be empty'],
  [() => commandSucceeds([]), 'must name a program'],
  [() => commandSucceeds('true', { nam: 'x' } as never), 'did you mean "name"?'],
  [() => reportPasses('true', {} as never), 'path'],
  [() => reportPasses('true', { path: '../x' }), 'leaves the workspace'],
  [() => jsonOutput({} as never), 'must be a schema of zod'],
  [() => jsonOutput(z.unknown(), { path: '/x' }), 'is absolute'],
] as const)('What cannot be used is refused: %s', ([make, message]) => {
  expect(make).toThrow(MendloopError)
  expect(make).toThrow(message)
})
