// Hooks are awaited: each may allow, change or deny. What one denies is no fault of a program's.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../../src/contract/errors.js'
import type { LoopHooks } from '../../../src/contract/hooks.js'
import { createRepairLoop } from '../../../src/repair/create-repair-loop.js'
import { scriptedModel } from '../../../src/testing/scripted-model.js'
import { exitsCleanly } from '../../../src/verify/exits-cleanly.js'
import { program, scripted, sent, task } from './parts.js'

const GOOD = program('x = "good"')

test('each is told where the run stands, and one that returns nothing allows', async () => {
  const told: unknown[] = []
  const { loop } = scripted([program('x = 1'), GOOD], {
    temperature: 0.5,
    hooks: {
      beforeModelCall: async ({ attempt, purpose, messages, settings, model, spent }) => {
        told.push(['call', attempt, purpose, model, messages.length, settings, spent.modelCalls])
      },
      beforeExecute: ({ attempt, candidate, language, args }) => {
        told.push(['execute', attempt, candidate.files, language, args])
        return undefined
      },
      afterAttempt: ({ result, spent, runId }) => {
        told.push(['after', result.attempt, result.passed, spent.attempts, runId.startsWith('run-')])
      },
    },
  })
  const result = await loop.run(task({ args: ['--all'] }))
  expect(result.status).toBe('verified')
  expect(told).toEqual([
    ['call', 1, 'program', 'scripted', 2, { temperature: 0.5 }, 0],
    ['execute', 1, { 'solution.py': 'x = 1\n' }, 'python', ['--all']],
    ['after', 1, false, 1, true],
    ['call', 2, 'program', 'scripted', 4, { temperature: 0.5 }, 1],
    ['execute', 2, { 'solution.py': 'x = "good"\n' }, 'python', ['--all']],
    ['after', 2, true, 2, true],
  ])
})

describe('beforeExecute', () => {
  test('denies: nothing runs, the model is told why, no check has failed, and it costs the attempt', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-hooks-'))
    const touch = (name: string): string => `open(${JSON.stringify(join(folder, name))}, "w").close()`
    const model = scriptedModel([program(touch('denied')), program(touch('allowed'))])
    const loop = createRepairLoop({
      model,
      sandbox: subprocess({ isolation: 'process', minimum: 'process', limits: { wallMs: 20_000 } }),
      hooks: {
        beforeExecute: ({ candidate }) =>
          candidate.files['solution.py']?.includes('denied')
            ? { decision: 'deny', reason: 'nothing may be written there' }
            : { decision: 'allow' },
      },
    })
    try {
      const result = await loop.run(task({ verify: [exitsCleanly()] }))
      expect(result.status).toBe('verified')
      expect(readdirSync(folder)).toEqual(['allowed'])
      const message = 'The program was not allowed to run: nothing may be written there'
      expect(result.attempts[0]).toMatchObject({
        attempt: 1,
        passed: false,
        failures: [{ kind: 'denied', message }],
        verdicts: [{ status: 'not-run', failures: [] }],
      })
      expect(result.attempts[0]).not.toHaveProperty('execution')
      expect(result.spent.attempts).toBe(2)
      const started = result.record.events.filter(({ type }) => type === 'execution-start')
      expect(started.map(({ attempt }) => attempt)).toEqual([2])
      expect(sent(model, 1)).toContain(message)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('edits: the changed program is what is judged, recorded and gone on from', async () => {
    const { loop, model } = scripted([program('x = 1'), program('x = 2')], {
      budget: { attempts: 2 },
      hooks: {
        beforeExecute: ({ candidate, attempt }) => ({
          decision: 'edit',
          files: {
            'solution.py': `# seen ${attempt}\n${candidate.files['solution.py']}`,
            './extra.py': 'y = 1\n',
          },
        }),
      },
    })
    const result = await loop.run(task())
    expect(result.attempts[0]?.candidate).toEqual({
      entry: 'solution.py',
      files: { 'solution.py': '# seen 1\nx = 1\n', 'extra.py': 'y = 1\n' },
    })
    expect(result.attempts[0]?.failures[0]?.message).toBe('not yet: # seen 1\nx = 1\n')
    expect(sent(model, 1)).toContain('# seen 1')
    const ready = result.record.events.filter(({ type }) => type === 'candidate-ready')
    expect(ready[1]).toMatchObject({
      candidate: result.attempts[0]?.candidate,
      diff: expect.stringContaining('+# seen 1'),
    })
  })

  test('cannot change what is protected', async () => {
    const { loop } = scripted([GOOD], {
      hooks: {
        beforeExecute: () => ({ decision: 'edit', files: { 'data.txt': 'forged', 'conftest.py': 'forged' } }),
      },
    })
    const result = await loop.run(task({ files: { 'data.txt': 'real' } }))
    expect(result.status === 'verified' && Object.keys(result.candidate.files)).toEqual(['solution.py'])
  })

  test('is asked for the program that a task brings, and not for one that does not run again', async () => {
    const asked: number[] = []
    const { loop } = scripted([program('x = 2'), program('x = 2'), GOOD], {
      hooks: { beforeExecute: ({ attempt }) => void asked.push(attempt) },
    })
    const result = await loop.run(task({ program: { 'solution.py': 'x = 1\n' } }))
    expect(result.status).toBe('verified')
    expect(asked).toEqual([0, 1, 3])
  })
})

describe('beforeModelCall', () => {
  test('changes what is sent, and the record has what was sent', async () => {
    const { loop, model } = scripted([GOOD], {
      maxOutputTokens: 100,
      hooks: {
        beforeModelCall: ({ messages }) => ({
          decision: 'edit',
          messages: [...messages, { role: 'user', content: 'In lower case.' }],
          settings: { temperature: 0 },
        }),
      },
    })
    const { record } = await loop.run(task())
    expect(model.calls[0]).toMatchObject({ maxOutputTokens: 100, temperature: 0 })
    expect(model.calls[0]?.messages.at(-1)?.content).toBe('In lower case.')
    expect(record.events.find(({ type }) => type === 'model-start')).toMatchObject({
      messages: model.calls[0]?.messages,
      settings: { maxOutputTokens: 100, temperature: 0 },
    })
  })

  test('denies: the run ends for a person to decide, and nobody was asked or paid', async () => {
    const { loop, model } = scripted([GOOD], {
      hooks: { beforeModelCall: () => ({ decision: 'deny', reason: 'it holds a customer name' }) },
    })
    const result = await loop.run(task())
    expect(result).toMatchObject({
      status: 'needs-human',
      question: {
        id: 'question-1',
        question: 'Asking the model was denied: it holds a customer name',
        why: 'escalation',
        hook: 'beforeModelCall',
      },
      handover: { question: 'Asking the model was denied: it holds a customer name' },
    })
    expect(model.calls).toHaveLength(0)
    expect(result.record.events.filter(({ type }) => type === 'run-end')).toMatchObject([
      { status: 'needs-human' },
    ])
  })

  test('a second reading that is denied is left out, and not asked for again', async () => {
    const purposes: string[] = []
    const { loop, model } = scripted([program('x = 1'), GOOD], {
      diagnosis: { afterRepeats: 0 },
      hooks: {
        beforeModelCall: ({ purpose }) => {
          purposes.push(purpose)
          return purpose === 'diagnosis' ? { decision: 'deny', reason: 'too dear' } : undefined
        },
      },
    })
    expect((await loop.run(task())).status).toBe('verified')
    expect(purposes).toEqual(['program', 'diagnosis', 'program'])
    expect(model.calls).toHaveLength(2)
  })
})

test('afterAttempt denies: the run ends for a person to decide, with the best program so far', async () => {
  const { loop } = scripted([program('x = 1')], {
    hooks: { afterAttempt: () => ({ decision: 'deny', reason: 'enough for today' }) },
  })
  expect(await loop.run(task())).toMatchObject({
    status: 'needs-human',
    question: { question: 'Going on after attempt 1 was denied: enough for today' },
    handover: { best: { files: { 'solution.py': 'x = 1\n' } }, failingChecks: ['check'] },
  })
})

describe('a hook that does not keep to its form', () => {
  const names = ['beforeModelCall', 'beforeExecute', 'afterAttempt'] as const

  test.each(names)(
    'throws (%s): the run rejects with an error that names it, and has one end',
    async (name) => {
      const fault = new Error('no such column')
      const hooks: LoopHooks = {
        [name]: async () => {
          throw fault
        },
      }
      const { loop } = scripted([GOOD], { hooks })
      const run = loop.start(task())
      const ends: unknown[] = []
      run.on('run-end', ({ status, detail }) => ends.push([status, detail]))
      const error = await run.result.catch((one: unknown) => one)
      expect(MendloopError.is(error, 'INVALID_OPTION') && error.details.option).toBe(`hooks.${name}`)
      expect(error).toMatchObject({
        message: expect.stringContaining(`"${name}" failed: no such column`),
        cause: fault,
      })
      expect(ends).toEqual([['failed', expect.stringContaining(name)]])
    },
  )

  test.each([
    ['beforeExecute', { decision: 'alow' }, /"decision"/],
    ['beforeExecute', { decision: 'deny' }, /"reason"/],
    ['beforeExecute', { decision: 'edit', files: { '../up.py': '' } }, /up\.py/],
    ['beforeModelCall', { decision: 'edit', message: [] }, /"message"/],
    ['afterAttempt', { decision: 'edit', files: {} }, /"decision"/],
    ['afterAttempt', 'allow', /afterAttempt/],
    ['afterAttempt', false, /afterAttempt/],
  ])('%s returns %j: the run rejects', async (name, answer, words) => {
    const { loop } = scripted([GOOD], { hooks: { [name]: () => answer } as LoopHooks })
    await expect(loop.run(task())).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(words),
    })
  })

  test('an unknown hook, and one that is no function, is refused at once', () => {
    expect(() => scripted([], { hooks: { beforeExec: () => undefined } as LoopHooks })).toThrow(/beforeExec/)
    expect(() => scripted([], { hooks: { beforeExecute: 'no' } as unknown as LoopHooks })).toThrow(
      /hooks\.beforeExecute": must be a function/,
    )
  })

  test.each(names)(
    'never settles (%s): aborting still ends the run within a second, with one end',
    async (name) => {
      let isAborted: (() => boolean) | undefined
      const hooks: LoopHooks = {
        [name]: ({ signal }: { signal: AbortSignal }) => {
          isAborted = () => signal.aborted
          return new Promise<undefined>(() => undefined)
        },
      }
      const { loop } = scripted([GOOD], { hooks })
      const run = loop.start(task())
      const ends: string[] = []
      run.on('run-end', ({ status }) => ends.push(status))
      await expect.poll(() => isAborted).toBeDefined()
      const abortedAt = performance.now()
      run.abort()
      expect((await run.result).status).toBe('aborted')
      expect(performance.now() - abortedAt).toBeLessThan(1000)
      expect(ends).toEqual(['aborted'])
      expect(isAborted?.()).toBe(true)
    },
  )
})
