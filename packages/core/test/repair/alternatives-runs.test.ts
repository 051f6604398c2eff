// Runs for alternatives side by side: how many at a time, what they may spend together, how all of them end.
import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { type AlternativesOptions, repairAlternatives } from '../../src/repair/alternatives.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { modelOf, numbers, program, runWith, task, untilAborted } from './alternatives-script.js'

describe('how runs share time', () => {
  test.each([
    [{}, 3],
    [{ concurrency: 2 }, 2],
    [{ concurrency: 9 }, 3],
    [{ alternatives: 12 }, 8],
  ])('%o has %i runs at the same time', async (options, expected) => {
    let now = 0
    let most = 0
    const model = modelOf(async ({ number }) => {
      most = Math.max(most, ++now)
      await vi.waitUntil(() => most >= expected, { timeout: 5_000 })
      now--
      return program(`x = "good ${number}"`)
    })
    await runWith(model, options)
    expect(most).toBe(expected)
  })

  test('each run is handed out as it starts, and can be ended alone', async () => {
    const started: number[] = []
    const model = modelOf(({ number }, request) =>
      number === 2 ? untilAborted(request) : program(`x = "good ${number}"`),
    )
    const result = await runWith(model, {
      onRun({ alternative, run }) {
        started.push(alternative)
        if (alternative === 2) run.once('model-start', () => run.abort())
        throw new Error('A listener breaks nothing.')
      },
    })
    expect(started).toEqual([1, 2, 3])
    expect(result.withoutProgram).toMatchObject([{ alternative: 2, result: { status: 'aborted' } }])
    expect(numbers(result.alternatives)).toEqual([1, 3])
  })

  test('one that is verified ends the others when asked for, and only then', async () => {
    const model = modelOf(({ number }, request) =>
      number === 1 ? program('x = "good"') : untilAborted(request),
    )
    const result = await runWith(model, { stopWhenVerified: true, concurrency: 2 })
    expect(result.best.status).toBe('verified')
    expect(result.withoutProgram).toMatchObject([{ alternative: 2, result: { status: 'aborted' } }])
    expect(result.shortfall).toBe(
      '1 distinct program is there, and 3 were asked for: 1 came to no program; 1 had no run, since another one was verified.',
    )
    const all = await runWith(modelOf(({ number }) => program(`x = "good ${number}"`)))
    expect(all.alternatives.map(({ status }) => status)).toEqual(Array(3).fill('verified'))
  })

  test('a duplicate is not replaced once another one is verified', async () => {
    let ends = 0
    const model = modelOf(async ({ number }) => {
      if (number === 3) await vi.waitUntil(() => ends === 2, { timeout: 10_000 })
      return program(number === 3 ? 'x = "good"' : 'x = "bad"')
    })
    const result = await runWith(model, {
      stopWhenVerified: true,
      budget: { attempts: 1 },
      onRun: ({ run }) => run.on('run-end', () => ends++),
    })
    expect(numbers(result.alternatives)).toEqual([3, 1])
    expect(result.shortfall).toBe(
      '2 distinct programs are there, and 3 were asked for: 1 came to the code of another one and had no further run, since another one was verified.',
    )
    expect(model.calls).toHaveLength(3)
  })

  test('nor is one that somebody ended', async () => {
    let started = 0
    const model = modelOf(({ number, isMending }, request) =>
      isMending && number === 2 ? untilAborted(request) : program('x = "bad"'),
    )
    const result = await runWith(model, {
      alternatives: 2,
      budget: { attempts: 2 },
      onRun({ alternative, run }) {
        started++
        if (alternative === 2) run.once('feedback-ready', () => run.once('model-start', () => run.abort()))
      },
    })
    expect(result.duplicates).toMatchObject([{ alternative: 2, sameAs: 1, status: 'aborted' }])
    expect(started).toBe(2)
  })

  test('the order is that of their numbers, whichever ends first', async () => {
    let endedSecond = (): void => undefined
    const second = new Promise<void>((resolve) => {
      endedSecond = resolve
    })
    const model = modelOf(async ({ number }) => {
      if (number === 1) await second
      return program('x = "good"')
    })
    const { signal } = new AbortController()
    const result = await runWith(model, {
      alternatives: 2,
      distinctTries: 0,
      signal,
      onRun({ alternative, run }) {
        if (alternative === 2) run.once('run-end', () => endedSecond())
      },
    })
    expect(result).toMatchObject({
      alternatives: [{ alternative: 1 }],
      duplicates: [{ alternative: 2, sameAs: 1 }],
    })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('an abort ends every run, also one whose model does not listen, and leaves nothing behind', async () => {
    const sandbox = memorySandbox()
    const controller = new AbortController()
    const model = modelOf((_who, request) => {
      if (model.calls.length === 12) controller.abort()
      return untilAborted(request)
    })
    const warnings: Error[] = []
    const warned = (warning: Error): number => warnings.push(warning)
    process.on('warning', warned)
    const { signal } = controller
    const running = runWith(model, { alternatives: 20, concurrency: 12, signal }, { loop: { sandbox } })
    await vi.waitUntil(() => signal.aborted)
    const abortedAt = performance.now()
    const result = await running
    expect(performance.now() - abortedAt).toBeLessThan(5_000)
    expect(result.best.status).toBe('aborted')
    expect(result.withoutProgram).toHaveLength(12)
    expect(result.shortfall).toContain('8 had no run, since it was aborted')
    expect(sandbox.open).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    process.off('warning', warned)
    expect(warnings).toEqual([])
  })

  test('aborted before it begins, nothing is asked', async () => {
    const model = modelOf(() => program('x = "good"'))
    const result = await runWith(model, { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ distinct: 0, best: { status: 'aborted' } })
    expect(model.calls).toHaveLength(0)
  })
})

describe('what runs together may spend', () => {
  const never = (calls: { value: number }) =>
    modelOf(({ number }) => program(`x = ${number}\ny = ${++calls.value}`))

  test.each([
    [{ total: { modelCalls: 7 } }, [3, 2, 2]],
    [{ total: { modelCalls: 2 } }, [1, 1]],
    [{ total: { modelCalls: 7 }, concurrency: 1 }, [3, 2, 2]],
    // Never more than a run may have anyway.
    [{ total: { modelCalls: 100 } }, [4, 4, 4]],
    [{ total: { modelCalls: 100 }, budget: { attempts: 9, modelCalls: 5 } }, [5, 5, 5]],
    [{ total: { modelCalls: 0 } }, [0]],
  ])('%o gives %j calls', async (options, expected) => {
    const result = await runWith(never({ value: 0 }), options, { loop: { stallAfter: false } })
    const runs = [...result.alternatives, ...result.withoutProgram]
    const calls = runs.sort((one, other) => one.alternative - other.alternative)
    expect(calls.map((run) => run.result.spent.modelCalls)).toEqual(expected)
    expect(result.spent.modelCalls).toBe(expected.reduce((sum, one) => sum + one, 0))
  })

  test("a total does not raise the loop's own bound, and to learn of that costs nothing", async () => {
    const sandbox = memorySandbox()
    const result = await runWith(
      never({ value: 0 }),
      { total: { modelCalls: 100 } },
      { loop: { sandbox, stallAfter: false, budget: { attempts: 9, modelCalls: 2 } } },
    )
    expect(result.alternatives.map((one) => one.result.spent.modelCalls)).toEqual([2, 2, 2])
    expect(result.best).toMatchObject({ status: 'exhausted', budget: 'modelCalls' })
    expect(sandbox.created).toHaveLength(6)
  })

  test('what a run leaves over goes to later ones, and a duplicate is not replaced when nothing is left', async () => {
    const model = modelOf(() => program('x = "good"'))
    const result = await runWith(model, { total: { modelCalls: 3 }, distinctTries: 5 })
    expect(model.calls).toHaveLength(3)
    expect(result.shortfall).toBe(
      '1 distinct program is there, and 3 were asked for: 2 came to the code of another one and had no further run, since total.modelCalls ended.',
    )
  })

  test('of a cost each run has its part, and may go beyond it by what its last call costs', async () => {
    const model = scriptedModel(
      Array.from({ length: 20 }, (_, index) => program(`x = ${index}`)),
      { price: () => 2 },
    )
    const result = await runWith(model, { total: { costUsd: 9 } }, { loop: { stallAfter: false } })
    expect(result.alternatives.map((one) => one.result.spent.costUsd)).toEqual([4, 4, 4])
    expect(result.spent.costUsd).toBe(12)
  })

  test('time ends for all of them', async () => {
    const model = modelOf((_who, request) => untilAborted(request))
    const result = await runWith(model, { total: { wallMs: 200 } })
    expect(result.withoutProgram.map((one) => one.result)).toMatchObject(
      Array(3).fill({ status: 'exhausted', budget: 'wallMs' }),
    )
  })

  test('a cost that cannot be told is refused before anything is asked', async () => {
    const model = modelOf(() => program('x = "good"'))
    await expect(runWith(model, { total: { costUsd: 1 } })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    expect(model.calls).toHaveLength(0)
  })
})

describe('misuse', () => {
  test('one run that rejects ends the others first, and is what the whole rejects with', async () => {
    const sandbox = memorySandbox()
    const ends: string[] = []
    const model = modelOf(async ({ number }, request) => {
      if (number !== 2) return untilAborted(request)
      await vi.waitUntil(() => model.calls.length === 3)
      // A script that is too short is the caller's mistake, and a loop rejects with it.
      return (await scriptedModel([]).generate(request)).text
    })
    const onRun: AlternativesOptions['onRun'] = ({ run }) =>
      run.on('run-end', ({ status }) => ends.push(status))
    await expect(runWith(model, { onRun }, { loop: { sandbox } })).rejects.toMatchObject({
      code: 'RECORDING_EXHAUSTED',
    })
    expect(ends.filter((status) => status === 'aborted')).toHaveLength(2)
    expect(sandbox.open).toBe(0)
  })

  test.each<[options: object, words: RegExp]>([
    [{ alternatives: 0 }, /"alternatives": must be at least 1/],
    [{ alternatives: 33 }, /"alternatives": must be at most 32/],
    [{ alternatives: 2, concurency: 1 }, /unknown option "concurency".*concurrency/],
    [{ alternatives: 2, total: { attempts: 1 } }, /unknown option "total.attempts"/],
    [{ alternatives: 2, distinctTries: -1 }, /"distinctTries": must not be negative/],
    [{ alternatives: 2, budget: { attempts: 0 } }, /"budget.attempts"/],
    [{}, /"alternatives": must be/],
  ])('%o is refused', async (options, words) => {
    const loop = createRepairLoop({ model: modelOf(() => ''), sandbox: memorySandbox() })
    await expect(repairAlternatives(loop, task, options as AlternativesOptions)).rejects.toThrow(words)
  })

  test('what is no loop, and a task without checks, are refused', async () => {
    const options = { alternatives: 2 }
    await expect(repairAlternatives({} as never, task, options)).rejects.toThrow(/"loop": must be a loop/)
    await expect(
      runWith(
        modelOf(() => ''),
        {},
        { verify: [] },
      ),
    ).rejects.toThrow(/"verify": needs at least one check/)
  })
})
