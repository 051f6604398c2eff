// Reports of test runners: what they say, and that no text makes their readers throw or hang.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJUnit } from '../../src/verify/parse-junit.js'
import { parseTap } from '../../src/verify/parse-tap.js'

const PYTEST = `<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="2" tests="4" time="0.03">
<testcase classname="test_sum" name="test_right" time="0.002" />
<testcase classname="test_sum" name="test_wrong[&lt;1&gt;]" time="0.001"><failure message="assert 3 == 4&#10; + where">def test_wrong():
&gt;   assert 3 == 4</failure></testcase>
<testcase classname="test_sum" name="test_later" time="0"><skipped type="pytest.skip" message="later"><![CDATA[a < b]]></skipped></testcase>
<testcase classname="test_sum" name="test_known" time="0"><skipped type="pytest.xfail" message="" /></testcase>
</testsuite></testsuites>`

describe('parseJUnit', () => {
  test('reads what pytest writes', () => {
    expect(parseJUnit(PYTEST)).toEqual({
      ok: true,
      tests: [
        { name: 'test_sum.test_right', status: 'pass', durationMs: 2 },
        {
          name: 'test_sum.test_wrong[<1>]',
          status: 'fail',
          durationMs: 1,
          message: 'assert 3 == 4\n + where',
          details: 'def test_wrong():\n>   assert 3 == 4',
        },
        { name: 'test_sum.test_later', status: 'not-run', durationMs: 0, reason: 'later' },
        { name: 'test_sum.test_known', status: 'pass', durationMs: 0 },
      ],
    })
  })

  test('reads the same from bytes with a mark of their order', () => {
    expect(parseJUnit(Buffer.from(`\ufeff${PYTEST}`))).toEqual(parseJUnit(PYTEST))
  })

  const bomb = `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100)}"><!ENTITY b "&a;&a;&a;">]><testsuites>&b;</testsuites>`
  test.for([
    ['an entity bomb', bomb, 'document type'],
    ['an entity that is not declared', '<testsuite>&lol;</testsuite>', 'stands for nothing'],
    ['a lone ampersand', '<testsuite>a & b</testsuite>', 'stands for nothing'],
    ['half a character', '<testsuite>&#xd800;</testsuite>', 'stands for nothing'],
    ['nothing', '', 'no element'],
    ['a cut report', PYTEST.slice(0, -40), 'ends within'],
    ['a report cut in a tag', PYTEST.slice(0, 300), 'ends within'],
    ['a report cut in a value', '<testsuite name="py', 'not in quotes'],
    ['wrong nesting', '<testsuites><testsuite></testsuites></testsuite>', '<testsuite> is open'],
    ['an end without a start', '</testsuites>', 'nothing is open'],
    ['two roots', '<testsuite/><testsuite/>', 'more than one'],
    ['text after the root', '<testsuite/>passed', 'outside'],
    ['another root', '<html><testcase name="a"/></html>', 'its root is <html>'],
    ['a test in a test', '<testsuite><testcase><testcase/></testcase></testsuite>', 'within another'],
    ['an attribute twice', '<testsuite a="1" a="2"/>', 'twice'],
    ['deep nesting', '<testsuite>'.repeat(1e6), 'nested deeper'],
    ['lost tests', '<testsuite tests="2"><testcase name="a"/></testsuite>', 'announces 2 tests and holds 1'],
    ['a comment without an end', `<testsuite>${'<!--'.repeat(1e5)}`, 'within a comment'],
  ] as const)('refuses %s', ([, text, problem]) => {
    expect(parseJUnit(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  test('reads ten megabytes in seconds, and refuses what is larger than 32 MiB', { timeout: 60_000 }, () => {
    const one = `<testcase name="t" time="0.1"><failure message="&lt;&amp;">${'&#10;text '.repeat(100)}</failure></testcase>`
    const large = `<testsuites>${one.repeat(Math.ceil(1e7 / one.length))}</testsuites>`
    const start = performance.now()
    expect(parseJUnit(large)).toMatchObject({ ok: true })
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(parseJUnit(large.repeat(4))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('at most'),
    })
  })
})

describe('What parseJUnit takes a test for', () => {
  test.for([
    ['name="a" status="notrun"', 'not-run', 'notrun'],
    ['name="a" status="disabled"', 'not-run', 'disabled'],
    ['name="a" status="notrun" result="suppressed"', 'not-run', 'notrun'],
    ['name="a" status="run" result="skipped"', 'not-run', 'skipped'],
    ['name="a" status="run" result="completed"', 'pass', undefined],
    ['name="a" status="passed"', 'pass', undefined],
    ['name="a" status="Failed"', 'fail', undefined],
  ] as const)('<testcase %s> is %s', ([attributes, status, reason]) => {
    const read = parseJUnit(`<testsuite><testcase ${attributes}/></testsuite>`)

    expect(read).toMatchObject({ ok: true, tests: [{ name: 'a', status, ...(reason && { reason }) }] })
  })

  test.for([
    ['<testsuite name="s" errors="1"><testcase name="a"/></testsuite>', 'announces 1 failures and errors'],
    ['<testsuite name="s" failures="1"><testcase name="a"/></testsuite>', 'and holds 0'],
    ['<testsuite name="s"><error message="no database"/><testcase name="a"/></testsuite>', 'no database'],
    ['<testsuite name="s"><testcase name="a"/><failure>no end</failure></testsuite>', 'no end'],
    [
      '<testsuites failures="1"><testsuite name="s" failures="1"><testcase name="a"/></testsuite></testsuites>',
      'announces 1',
    ],
  ] as const)('a failure of the suite itself is told: %s', ([report, message]) => {
    const read = parseJUnit(report)

    const tests = read.ok ? read.tests : []
    expect(tests.filter(({ status }) => status === 'pass')).toEqual([{ name: 'a', status: 'pass' }])
    expect(tests.filter(({ status }) => status === 'fail')).toEqual([
      expect.objectContaining({ name: 's', message: expect.stringContaining(message) }),
    ])
  })

  test('a test with a failure and an error is announced twice and told once', () => {
    const report =
      '<testsuite failures="1" errors="1"><testcase name="a"><failure/><error/></testcase></testsuite>'

    expect(parseJUnit(report)).toEqual({ ok: true, tests: [{ name: 'a', status: 'fail', message: '' }] })
  })
})

const NODE_TAP = `TAP version 13
# Subtest: sum
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.5
      ...
    # Subtest: fails
    not ok 2 - fails
      ---
      duration_ms: 1
      error: 'Expected 3, got 4'
      stack: |-
        at sum.mjs:1:1
      ...
    1..2
not ok 1 - sum
  ---
  error: '1 subtest failed'
  ...
ok 2 - later # SKIP no time
not ok 3 - open # TODO
ok 4 - with \\# in it
1..4
# tests 5
`

describe('parseTap', () => {
  test('reads what node:test writes', () => {
    const read = parseTap(NODE_TAP)
    expect(read).toMatchObject({
      ok: true,
      tests: [
        { name: 'sum.adds', status: 'pass' },
        { name: 'sum.fails', status: 'fail', message: 'Expected 3, got 4' },
        { name: 'later', status: 'not-run', reason: 'no time' },
        { name: 'open', status: 'not-run', reason: 'todo' },
        { name: 'with # in it', status: 'pass' },
      ],
    })
  })

  test.for([
    ['nothing', '', 'no plan'],
    ['a stream without a plan', 'ok 1\nok 2\n', 'no plan'],
    ['a cut stream', '1..3\nok 1\nok 2\n', 'plans 3 tests and holds 2'],
    ['more tests than planned', '1..1\nok 1\nok 2\n', 'plans 1 tests and holds 2'],
    ['a test that is missing', 'ok 1\nok 3\n1..2\n', 'test 3 stands where test 2'],
    ['a runner that gave up', '1..1\nok 1\nBail out! no database\n', 'gave up'],
    ['two plans', '1..1\nok 1\n1..1\n', 'two plans'],
    ['subtests that end early', '1..1\n    ok 1 - a\n    1..2\nok 1 - b\n', 'plans 2 tests and holds 1'],
    ['a stream cut within subtests', '1..1\n    1..1\n    ok 1 - a\n', 'within subtests'],
    ['a stream cut within details', '1..1\nnot ok 1\n  ---\n  error: x\n', 'block of details'],
  ] as const)('refuses %s', ([, text, problem]) => {
    expect(parseTap(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  test('tells the failure of a test whose subtests passed', () => {
    const read = parseTap('    ok 1 - a\n    1..1\nnot ok 1 - b\n1..1\n')
    expect(read).toMatchObject({ ok: true, tests: [{ name: 'b.a' }, { name: 'b', status: 'fail' }] })
  })
})

test('No text makes a reader throw', () => {
  const piece = fc.constantFrom(
    ...[
      '<testsuite',
      '<testcase',
      '</',
      '>',
      '/>',
      '"',
      "'",
      '=',
      '&',
      ';',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<?',
      ' a',
    ],
    ...[
      'ok',
      'not ok',
      ' 1',
      '1..',
      '\n',
      '    ',
      '  ---\n',
      '...\n',
      '# ',
      'SKIP',
      'Bail out!',
      '\u0000',
      '\ud800',
    ],
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(text, (one) => {
      for (const read of [parseJUnit(one), parseTap(one)])
        expect(read.ok ? Array.isArray(read.tests) : read.problem !== '').toBe(true)
    }),
    { numRuns: 2000 },
  )
})
