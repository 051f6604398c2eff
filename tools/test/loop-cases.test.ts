// Cases of the repair loop: they see what the loop did, and a claim that is not true fails.
import { describe, expect, test } from 'vitest'
import { requires } from '../../packages/core/test/helpers/requires.js'
import type { Fields } from '../cases/bug-case.js'
import { runCase } from '../cases/run-case.js'
import { caseMaker } from './helpers/case-of.js'

const make = caseMaker('loop')
const WRONG = '```python\nraise ValueError("no")\n```'
const RIGHT = '```python\nprint("yes")\n```'
const run = (script: unknown, expected: Fields = {}, input: Fields = {}) =>
  runCase(make({ 'script.json': script }, { input: 'script.json', ...input }, expected))

describe.skipIf(!requires('python3'))('a run of the loop', () => {
  test.each<[string, Fields, Fields, Fields]>([
    [
      'its attempts',
      { reply: WRONG, options: { maxAttempts: 2 } },
      { modelCalls: 2, runs: 2, attempts: 2, outcome: 'exhausted', verdict: 'fail' },
      { modelCalls: 3 },
    ],
    [
      'a pass on the last try',
      { replies: [WRONG, RIGHT], options: { maxAttempts: 2 } },
      { outcome: 'success', verdict: 'pass', modelCalls: 2, codeRun: 'print("yes")' },
      { outcome: 'exhausted' },
    ],
    [
      'a reply without a program as a try',
      { reply: 'I cannot say.', options: { maxAttempts: 3 } },
      { modelCalls: 3, runs: 0, outcome: 'exhausted' },
      { runs: 1 },
    ],
    [
      'an empty answer',
      { reply: ' ', options: { maxAttempts: 1 } },
      { outcome: 'empty-answer', codeRun: false },
      { outcomeNot: 'empty-answer' },
    ],
    [
      'a refusal',
      { replies: [{ refusal: 'no' }], options: { maxAttempts: 1 } },
      { outcome: 'refused' },
      { outcome: 'exhausted' },
    ],
    [
      'a budget of tokens',
      { reply: WRONG, usagePerCall: 60, options: { maxTokensTotal: 100, maxAttempts: 3 } },
      { modelCalls: 2, outcome: 'budget' },
      { outcome: 'exhausted' },
    ],
    [
      'a server that is down',
      { reply: WRONG, transport: ['500'], options: { transportRetries: 0 } },
      { modelCalls: 1, httpRequests: 1, outcome: 'model-error' },
      { outcome: 'exhausted' },
    ],
    [
      'a server that comes back',
      { reply: RIGHT, transport: ['503', 'ok'], options: { transportRetries: 1 } },
      { modelCalls: 1, httpRequests: 2, runs: 1, outcome: 'success' },
      { modelCalls: 2 },
    ],
    [
      'a refused option',
      { reply: WRONG, options: { maxAttempts: 2.5 } },
      { throwsBeforeAnyCall: 'invalid option' },
      { outcome: 'exhausted' },
    ],
    [
      'no attempts',
      { reply: WRONG, options: { maxAttempts: 0 } },
      { throwsBeforeAnyCall: 'invalid option' },
      { outcome: 'exhausted' },
    ],
    [
      'circles',
      { replies: [WRONG, WRONG, WRONG] },
      { outcome: 'stuck', modelCallsAtMost: 4, feedbackOnSecondTimeContains: ['same code'] },
      { outcome: 'stuck', modelCallsAtMost: 3 },
    ],
    [
      'no circles where nobody speaks of them',
      { replies: [WRONG, WRONG, WRONG] },
      { outcome: 'exhausted', runs: 4 },
      { outcome: 'stuck', runs: 4 },
    ],
    [
      'its end',
      { reply: RIGHT },
      { terminalEvents: 1, eventsAfterTerminal: 0, settlesWithinMs: 60_000 },
      { terminalEvents: 2 },
    ],
    [
      'what it tells',
      { reply: WRONG },
      { feedbackContains: ['ValueError', 'no'], feedbackNotContains: ['moon'] },
      { feedbackMentions: ['moon'] },
    ],
    [
      'what it tells the second time',
      { replies: [RIGHT.replace('print', 'moon'), WRONG, WRONG] },
      { feedbackOnSecondTimeContains: ['ValueError'] },
      { feedbackOnSecondTimeContains: ['NameError'] },
    ],
  ])('is seen: %s', async (_, script, truth, lie) => {
    expect(await run({ cases: [{ ...script, expect: truth }] })).toEqual({ status: 'passed' })
    expect(await run({ ...script }, lie)).toMatchObject({ status: 'failed' })
  })

  test('is named where one of several fails', async () => {
    const outcome = await run({
      reply: WRONG,
      options: { maxAttempts: 1 },
      cases: [{ expect: { modelCalls: 1 } }, { expect: { modelCalls: 2 } }],
    })
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(/^case 2: model calls/)] })
  })

  test('is also made with programs that take turns', async () => {
    const script = { replies: [RIGHT], alternating: ['A', 'B', 'A'] }
    const outcome = await run(script, { outcome: 'success', modelCalls: 1 })
    expect(outcome).toEqual({ status: 'failed', reasons: [expect.stringMatching(/^alternating: outcome/)] })
  })

  test('shows how much of the feedback was dropped', { timeout: 120_000 }, async () => {
    const noisy =
      'import sys\nfor i in range(20000): sys.stderr.write("é noise %05d\\n" % i)\nraise KeyError("here")\n'
    const wanted = {
      feedbackCharsAtMost: 8000,
      feedbackContains: ['noise 00000', 'here'],
      feedbackSaysHowMuchWasDropped: true,
      cutsInsideACharacter: 0,
      promptGrowthOverTenAttemptsCharsAtMost: 100_000,
    }
    const of = (expected: Fields) =>
      runCase(make({ 'code.py': noisy }, { input: 'code.py', options: { maxFeedbackChars: 8000 } }, expected))
    expect(await of(wanted)).toEqual({ status: 'passed' })
    expect(await of({ feedbackSaysHowMuchWasDropped: false })).toMatchObject({ status: 'failed' })
    expect(await of({ feedbackCharsAtMost: 500 })).toMatchObject({ status: 'failed' })
  })

  test('keeps what is protected', async () => {
    const files = {
      'files.json': {
        'src/calc.py': 'def add(a, b):\n    return a - b\n',
        'test_calc.py': 'from src.calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n',
      },
      'bad.md':
        'test_calc.py\n```python\nfrom src.calc import add\n\n\ndef test_add():\n    assert add(2, 3) == -1\n```\n',
      'good.md': 'src/calc.py\n```python\ndef add(a, b):\n    return a + b\n```\n',
    }
    const of = (input: string, expected: Fields) =>
      runCase(make(files, { files: 'files.json', protected: ['test_*.py'], input }, expected))
    const kept = { testFileAtCheckTime: 'as given' }
    expect(await of('bad.md', { verdict: 'fail', ...kept, feedbackMentions: ['test_calc.py'] })).toEqual({
      status: 'passed',
    })
    expect(await of('good.md', { verdict: 'pass', ...kept })).toEqual({ status: 'passed' })
  })

  test.each([
    ['expression', { check: 'f(2) == 4' }],
    ['tests', { check: 'tests.py' }],
    ['checks', { check: 'checks.json' }],
  ])('is judged by %s', async (_, input) => {
    const files = {
      'tests.py': 'from solution import f\n\n\ndef test_f():\n    assert f(2) == 4\n',
      'checks.json': [{ call: 'f(2)', equals: 4 }],
      'right.md': '```python\ndef f(x):\n    return x * x\n```\n',
      'wrong.md': '```python\ndef f(x):\n    return x\n```\n',
    }
    const of = (file: string, verdict: string) => runCase(make(files, { input: file, ...input }, { verdict }))
    expect(await of('right.md', 'pass')).toEqual({ status: 'passed' })
    expect(await of('wrong.md', 'fail')).toEqual({ status: 'passed' })
  })
})

describe('a case of the loop that is not understood', () => {
  test.each<[string, unknown, Fields, RegExp]>([
    ['an expectation', { reply: RIGHT }, { sings: true }, /sings/],
    [
      'an expectation of one run',
      { reply: RIGHT, cases: [{ expect: { sings: true } }] },
      {},
      /"sings" of a loop is not known/,
    ],
    ['an outcome', { reply: RIGHT }, { outcome: 'okay' }, /okay/],
    ['no expectation', { reply: RIGHT }, {}, /expects nothing/],
    ['no reply', {}, { outcome: 'success' }, /either "reply" or "replies"/],
    ['an answer of the server', { reply: RIGHT, transport: ['tea'] }, { outcome: 'success' }, /tea/],
  ])('fails: %s', async (_, script, expected, why) => {
    expect(await run(script, expected)).toEqual({ status: 'failed', reasons: [expect.stringMatching(why)] })
  })

  test.each([
    ['a step', { reply: RIGHT, moon: 1 }, {}],
    ['an option', { reply: RIGHT }, { options: { moon: 1 } }],
  ])('is called not built where it asks for %s that cannot be driven', async (_, script, input) => {
    const outcome = await run(script, { outcome: 'success' }, input)
    expect(outcome).toEqual({ status: 'not-built', reason: expect.stringMatching(/moon/) })
  })
})
