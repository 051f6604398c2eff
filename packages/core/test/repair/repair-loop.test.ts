import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { LoopEvent } from '../../src/contract/events.js'
import type { Verdict, Verifier, VerifyContext } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../src/repair/repair-task.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const program = (body: string): string => `Here it is.\n\n\`\`\`python\n${body}\n\`\`\`\n`

const pass: Verdict = { status: 'pass', integrity: 'shared', failures: [] }
const fail = (message: string): Verdict => ({
  status: 'fail',
  integrity: 'shared',
  failures: [{ kind: 'custom', message, fingerprint: message }],
})

const check = (
  verify: (context: VerifyContext) => Promise<Verdict>,
  { name = 'check', visibility = 'visible' }: Partial<Pick<Verifier, 'name' | 'visibility'>> = {},
): Verifier => ({ name, visibility, verify })

/** Passes when the program holds `good`. */
const holdsGood = check(async ({ candidate }) =>
  candidate.files['solution.py']?.includes('good') ? pass : fail('it is not good'),
)

const task = (extra: Partial<RepairTask> = {}): RepairTask => ({
  goal: 'Write something good.',
  language: 'python',
  verify: [holdsGood],
  ...extra,
})

test('a candidate that fails goes back as feedback, and one that passes ends the run as verified', async () => {
  const model = scriptedModel([program('x = "bad"'), program('x = "good"')])
  const sandbox = memorySandbox()
  const result = await createRepairLoop({ model, sandbox }).run(task())
  expect(result.status).toBe('verified')
  if (result.status !== 'verified') return
  expect(result.candidate.files).toEqual({ 'solution.py': 'x = "good"\n' })
  expect(result.attempts.map(({ attempt, passed }) => [attempt, passed])).toEqual([
    [1, false],
    [2, true],
  ])
  expect(result.diff).toContain('-x = "bad"\n+x = "good"')
  expect(JSON.stringify(model.calls[1]?.messages)).toContain('it is not good')
  expect(JSON.stringify(model.calls[0]?.messages)).not.toContain('it is not good')
  expect(sandbox.created).toHaveLength(2)
  expect(sandbox.open).toBe(0)
  model.assertUsedUp()
})

test('a pass on the last attempt that is allowed is a pass', async () => {
  const model = scriptedModel([program('x = "bad"'), program('x = "good"')])
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 2 } })
  expect((await loop.run(task())).status).toBe('verified')
})

test.each([
  [1, 1],
  [3, 3],
])('with %i attempts exactly %i calls are made', async (attempts, calls) => {
  const model = scriptedModel(Array.from({ length: 5 }, (_, index) => program(`x = ${index}`)))
  const result = await createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts } }).run(task())
  expect(result).toMatchObject({ status: 'exhausted', budget: 'attempts' })
  expect(model.calls).toHaveLength(calls)
})

test('0 attempts are honoured: what was handed in is judged, and nothing is asked', async () => {
  const model = scriptedModel([])
  const sandbox = memorySandbox()
  const loop = createRepairLoop({ model, sandbox, budget: { attempts: 0 } })
  const result = await loop.run(task({ program: { 'solution.py': 'x = 1\n' } }))
  expect(result).toMatchObject({ status: 'exhausted', budget: 'attempts', attempts: [{ attempt: 0 }] })
})

test('0 attempts at a task without a program can do nothing, and are refused before anything is opened', async () => {
  const model = scriptedModel([])
  const sandbox = memorySandbox()
  const loop = createRepairLoop({ model, sandbox, budget: { attempts: 0 } })
  await expect(loop.run(task())).rejects.toThrow(/"budget.attempts": must be at least 1/)
  expect(sandbox.created).toHaveLength(0)
})

test('a token budget ends the run before the next call', async () => {
  const model = scriptedModel([program('x = 1'), program('x = 2'), program('x = 3')], {
    usage: { inputTokens: 50, outputTokens: 10 },
  })
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { totalTokens: 100 } })
  expect(await loop.run(task())).toMatchObject({ status: 'exhausted', budget: 'totalTokens' })
  expect(model.calls).toHaveLength(2)
})

test('a reply without code costs the format budget and no attempt', async () => {
  const model = scriptedModel(['I cannot do that.', program('x = "good"')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 1 } }).run(
    task(),
  )
  expect(result.status).toBe('verified')
  expect(result.spent).toMatchObject({ attempts: 1, formatErrors: 1, modelCalls: 2 })
})

test('replies without code end the run when their budget is used up', async () => {
  const model = scriptedModel(['no', 'no', 'no', 'no'])
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { formatErrors: 1 } })
  expect(await loop.run(task())).toMatchObject({ status: 'exhausted', budget: 'formatErrors' })
  expect(model.calls).toHaveLength(2)
})

test('a refusal is told as one and is never run', async () => {
  const model = scriptedModel([{ text: program('x = "good"'), refusal: 'I will not.' }])
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { formatErrors: 0 } })
  const result = await loop.run(task())
  expect(result.status).toBe('exhausted')
  const rejected = result.record.events.find(({ type }) => type === 'reply-rejected')
  expect(rejected).toMatchObject({ failure: { kind: 'refusal' } })
})

test('held-out checks run only when the visible ones pass, and their details reach no prompt', async () => {
  let heldOutRuns = 0
  const heldOut = check(
    async ({ candidate }) => {
      heldOutRuns++
      return candidate.files['solution.py']?.includes('2') ? pass : fail('secret detail')
    },
    { name: 'hidden', visibility: 'held-out' },
  )
  const model = scriptedModel([program('x = "bad"'), program('good = 1'), program('good = 2')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(
    task({ verify: [holdsGood, heldOut] }),
  )
  expect(result.status).toBe('verified')
  expect(heldOutRuns).toBe(2)
  expect(JSON.stringify(model.calls.map(({ messages }) => messages))).not.toContain('secret detail')
  expect(result.attempts[0]?.verdicts[1]).toMatchObject({ name: 'hidden', status: 'not-run' })
})

test('the program runs once an attempt, however many checks ask for it, with its arguments and input', async () => {
  const sandbox = memorySandbox(() => ({ stdout: 'ok\n' }))
  const runs = check(async (context) => {
    const results = [await context.run(), await context.run()]
    return results[0] === results[1] && results[0]?.stdout.text === 'ok\n' ? pass : fail('ran twice')
  })
  const again = check(async (context) => ((await context.run()).ok ? pass : fail('no')), { name: 'again' })
  const model = scriptedModel([program('x = 1')])
  const result = await createRepairLoop({ model, sandbox }).run(
    task({ verify: [runs, again], args: ['--fast'], stdin: 'hello' }),
  )
  expect(result.status).toBe('verified')
  expect(sandbox.commands).toHaveLength(1)
  expect(sandbox.commands[0]).toMatchObject({ stdin: 'hello' })
  expect(JSON.stringify(sandbox.commands[0])).toContain('--fast')
})

test('outputs come back as bytes, and one that is missing fails the attempt by name', async () => {
  let round = 0
  const sandbox = memorySandbox(() => (++round === 1 ? {} : { writes: { 'chart.svg': '<svg/>' } }))
  const model = scriptedModel([program('good = 1'), program('good = 2')])
  const result = await createRepairLoop({ model, sandbox }).run(task({ outputs: ['chart.svg'] }))
  expect(result.status).toBe('verified')
  expect(Buffer.from(result.outputs['chart.svg'] ?? []).toString()).toBe('<svg/>')
  expect(result.attempts[0]?.failures[0]?.message).toBe('The program did not write the file chart.svg.')
})

test('a check that throws, answers nonsense or contradicts itself has passed nothing', async () => {
  const answers: unknown[] = [undefined, { status: 'great' }, { ...pass, failures: fail('x').failures }]
  for (const answer of answers) {
    const odd = check(async () => answer as Verdict)
    const model = scriptedModel([program('x = 1')])
    const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 1 } })
    const result = await loop.run(task({ verify: [odd] }))
    expect(result.status).toBe('exhausted')
    expect(result.attempts[0]?.verdicts[0]?.status).toBe('not-run')
  }
  const throws = check(async () => {
    throw new Error('the check is broken')
  })
  const loop = createRepairLoop({
    model: scriptedModel([program('x')]),
    sandbox: memorySandbox(),
    budget: { attempts: 1 },
  })
  const result = await loop.run(task({ verify: [throws] }))
  expect(result.attempts[0]?.failures[0]?.message).toContain('the check is broken')
})

test('a sandbox that is lost is no fault of the candidate: it is judged again without asking the model', async () => {
  let executions = 0
  const sandbox = memorySandbox(() =>
    ++executions === 1 ? { outcome: { kind: 'lost', cause: 'the engine went away' } } : {},
  )
  const ran = check(async (context) => ((await context.run()).ok ? pass : fail('no')))
  const model = scriptedModel([program('x = 1')])
  const result = await createRepairLoop({ model, sandbox }).run(task({ verify: [ran] }))
  expect(result.status).toBe('verified')
  expect(result.spent).toMatchObject({ modelCalls: 1, infrastructureErrors: 1, attempts: 1 })
})

test('a sandbox that stays lost ends the run as environment-lost', async () => {
  const sandbox = memorySandbox(() => ({ outcome: { kind: 'lost', cause: 'the engine went away' } }))
  const ran = check(async (context) => ((await context.run()).ok ? pass : fail('no')))
  const loop = createRepairLoop({
    model: scriptedModel([program('x = 1')]),
    sandbox,
    budget: { infrastructureErrors: 1 },
  })
  expect(await loop.run(task({ verify: [ran] }))).toMatchObject({
    status: 'environment-lost',
    cause: 'the engine went away',
  })
  expect(sandbox.open).toBe(0)
})

test('a model failure that may pass is tried again, one that cannot pass ends the run with its sentence', async () => {
  const failure = (retryable: boolean) =>
    new MendloopError('MODEL_REQUEST_FAILED', 'The key was refused.', {
      details: { model: 'm', reason: retryable ? 'overloaded' : 'auth' },
      retryable,
    })
  const passing = scriptedModel([failure(true), program('good = 1')])
  expect((await createRepairLoop({ model: passing, sandbox: memorySandbox() }).run(task())).status).toBe(
    'verified',
  )
  const refused = scriptedModel([failure(false), program('good = 1')])
  const result = await createRepairLoop({ model: refused, sandbox: memorySandbox() }).run(task())
  expect(result).toMatchObject({ status: 'environment-lost', cause: 'The key was refused.' })
  expect(result.status === 'environment-lost' && result.error?.code).toBe('MODEL_REQUEST_FAILED')
  expect(refused.calls).toHaveLength(1)
})

test('a script that runs out rejects, since it is a mistake of the caller', async () => {
  const loop = createRepairLoop({ model: scriptedModel([]), sandbox: memorySandbox() })
  await expect(loop.run(task())).rejects.toMatchObject({ code: 'RECORDING_EXHAUSTED' })
})

test('aborting ends the run as aborted, closes the sandbox and leaves no listener on the signal', async () => {
  const controller = new AbortController()
  const sandbox = memorySandbox()
  const model = scriptedModel([
    async ({ signal }) => {
      setImmediate(() => controller.abort())
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return program('good = 1')
    },
  ])
  const result = await createRepairLoop({ model, sandbox }).run(task(), { signal: controller.signal })
  expect(result.status).toBe('aborted')
  expect(sandbox.open).toBe(0)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('the wall budget ends a call that is under way', async () => {
  const model = scriptedModel([
    ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      ),
  ])
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { wallMs: 40 } })
  expect(await loop.run(task())).toMatchObject({ status: 'exhausted', budget: 'wallMs' })
})

test('a timeout that only the budget caused is the budget, not the program', async () => {
  const sandbox = memorySandbox(({ options }) => ({
    outcome: { kind: 'timeout', clock: 'wall', limitMs: options.limits?.wallMs ?? 0 },
    durationMs: options.limits?.wallMs ?? 0,
  }))
  const ran = check(async (context) => ((await context.run()).ok ? pass : fail('slow')))
  const loop = createRepairLoop({
    model: scriptedModel([program('x')]),
    sandbox,
    budget: { executionMs: 100 },
  })
  const result = await loop.run(task({ verify: [ran], limits: { wallMs: 5000 } }))
  expect(result).toMatchObject({ status: 'exhausted', budget: 'executionMs', attempts: [] })
})

test('a program that is handed in is judged first; when it passes, no model is asked', async () => {
  const model = scriptedModel([])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(
    task({ program: { 'solution.py': 'good = 1\n' } }),
  )
  expect(result.status).toBe('verified')
  expect(result.spent).toMatchObject({ attempts: 0, modelCalls: 0 })
})

test('a program that is handed in and fails is shown to the model with what went wrong', async () => {
  const model = scriptedModel([program('good = 1')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(
    task({ program: { 'solution.py': 'original = 1\n' } }),
  )
  expect(result.status).toBe('verified')
  const sent = JSON.stringify(model.calls[0]?.messages)
  expect(sent).toContain('original = 1')
  expect(sent).toContain('it is not good')
  expect(result.diff).toContain('-original = 1\n+good = 1')
})

test('files that a reply does not name stay as they were', async () => {
  const both = 'solution.py\n```python\nimport helper\n```\n\nhelper.py\n```python\nx = 1\n```\n'
  const model = scriptedModel([both, 'solution.py\n```python\nimport helper  # good\n```\n'])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(task())
  expect(result.status === 'verified' && result.candidate.files).toEqual({
    'solution.py': 'import helper  # good\n',
    'helper.py': 'x = 1\n',
  })
})

test('a reply that rewrites an input is not followed', async () => {
  const cheat = 'solution.py\n```python\ngood = 1\n```\n\nexpected.py\n```python\nanswer = 0\n```\n'
  const seen: (string | undefined)[] = []
  const looks = check(async ({ candidate, sandbox }) => {
    seen.push(candidate.files['expected.py'], await sandbox.files.readText('expected.py'))
    return pass
  })
  const loop = createRepairLoop({ model: scriptedModel([cheat]), sandbox: memorySandbox() })
  await loop.run(task({ verify: [looks], files: { 'expected.py': 'answer = 42\n' } }))
  expect(seen).toEqual([undefined, 'answer = 42\n'])
})

test('a program that rewrites itself is judged as the model wrote it', async () => {
  const sandbox = memorySandbox(() => ({ writes: { 'solution.py': 'good = "forged"\n' } }))
  const runs = check(async (context) => ((await context.run()).ok ? pass : fail('no')), { name: 'runs' })
  const reads = check(async (context) =>
    (await context.sandbox.files.readText('solution.py')).includes('forged') ? pass : fail('honest'),
  )
  const loop = createRepairLoop({
    model: scriptedModel([program('x = 1')]),
    sandbox,
    budget: { attempts: 1 },
  })
  const result = await loop.run(task({ verify: [runs, reads] }))
  expect(result.attempts[0]?.failures[0]?.message).toBe('honest')
})

test('of several failures the best candidate is kept, not the last', async () => {
  const has = (word: string) =>
    check(
      async ({ candidate }) => (candidate.files['solution.py']?.includes(word) ? pass : fail(`no ${word}`)),
      {
        name: word,
      },
    )
  const model = scriptedModel([program('alpha = beta'), program('nothing = 1')])
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 2 } })
  const result = await loop.run(task({ verify: [has('alpha'), has('beta'), has('gamma')] }))
  expect(result.status).toBe('exhausted')
  expect(result.best?.files['solution.py']).toBe('alpha = beta\n')
})

test('the events tell the whole story in order, and the record is JSON', async () => {
  const sandbox = memorySandbox(() => ({ stdout: 'hi\n' }))
  const ran = check(async (context) => ((await context.run()).ok ? holdsGood.verify(context) : fail('no')))
  const model = scriptedModel([program('x = "good"')])
  const run = createRepairLoop({ model, sandbox }).start(task({ verify: [ran] }))
  const types: LoopEvent['type'][] = []
  for await (const { type } of run) if (types.at(-1) !== type) types.push(type)
  expect(types).toEqual([
    'run-start',
    'attempt-start',
    'sandbox-start',
    'model-start',
    'model-delta',
    'model-end',
    'candidate-ready',
    'verification-start',
    'execution-start',
    'execution-end',
    'verification-end',
    'attempt-end',
    'run-end',
  ])
  const { record } = await run.result
  expect(JSON.parse(JSON.stringify(record)).events).toHaveLength(record.events.length)
})

test('a run that ran out goes on from its state with a raised budget, and pays for nothing twice', async () => {
  const first = createRepairLoop({
    model: scriptedModel([program('x = "bad"')]),
    sandbox: memorySandbox(),
    budget: { attempts: 1 },
  }).start(task())
  expect((await first.result).status).toBe('exhausted')
  const state = JSON.parse(JSON.stringify(first.state()))
  const model = scriptedModel([program('x = "good"')])
  const second = createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 2 } }).resume(
    task(),
    state,
  )
  const result = await second.result
  expect(result.status).toBe('verified')
  expect(second.id).toBe(first.id)
  expect(result.spent).toMatchObject({ attempts: 2, modelCalls: 2 })
  expect(JSON.stringify(model.calls[0]?.messages)).toContain('it is not good')
})

test('a reply that was paid for before a crash is judged, not asked for again', async () => {
  const crashing = memorySandbox(() => {
    throw new Error('the host crashed')
  })
  const ran = check(async (context) => ((await context.run()).ok ? pass : fail('no')))
  const first = createRepairLoop({ model: scriptedModel([program('x = 1')]), sandbox: crashing }).start(
    task({ verify: [ran] }),
  )
  await expect(first.result).rejects.toThrow('the host crashed')
  const silent = scriptedModel([])
  const second = createRepairLoop({ model: silent, sandbox: memorySandbox() }).resume(
    task({ verify: [ran] }),
    JSON.parse(JSON.stringify(first.state())),
  )
  expect((await second.result).status).toBe('verified')
  expect(silent.calls).toHaveLength(0)
})

test('a state of another task or version is refused in words', () => {
  const loop = createRepairLoop({ model: scriptedModel([]), sandbox: memorySandbox() })
  const state = loop.start(task()).state()
  expect(() => loop.resume(task({ goal: 'Another.' }), state)).toThrow(/another goal/)
  expect(() => loop.resume(task(), { ...state, version: 2 as 1 })).toThrow(/version 2/)
  for (const none of [null, undefined, {}, 'x'])
    expect(() => loop.resume(task(), none as never)).toThrow(
      expect.objectContaining({ code: 'RECORD_INVALID' }),
    )
  expect(() => loop.resume(task(), { ...state, data: { goal: 1 } })).toThrow(/damaged/)
})

test('wrong options and tasks are refused before anything is spent', async () => {
  const model = scriptedModel([])
  const sandbox = memorySandbox()
  expect(() => createRepairLoop({ model, sandbox, budgets: {} } as never)).toThrow(/did you mean "budget"/)
  expect(() => createRepairLoop({ model, sandbox, budget: { costUsd: 1 } })).toThrow(
    /does not know its price/,
  )
  const loop = createRepairLoop({ model, sandbox })
  await expect(loop.run(task({ verify: [] }))).rejects.toThrow(/at least one check/)
  await expect(loop.run(task({ language: 'cobol' }))).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  await expect(loop.run(task({ program: { 'other.py': '' } }))).rejects.toThrow(/holds no file "solution.py"/)
  await expect(loop.run(task({ files: { 'solution.py': '' } }))).rejects.toThrow(/which is the program's/)
  expect(sandbox.created).toHaveLength(0)
})

test('checks of one name are told apart by a number', async () => {
  const model = scriptedModel([program('good = 1')])
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(
    task({ verify: [holdsGood, holdsGood] }),
  )
  expect(result.attempts[0]?.verdicts.map(({ name }) => name)).toEqual(['check', 'check 2'])
})

test('a question that nobody asked cannot be answered', () => {
  const run = createRepairLoop({ model: scriptedModel([]), sandbox: memorySandbox() }).start(task())
  expect(() => run.answer('q1', 'yes')).toThrow(/no question with this id is open/)
})
