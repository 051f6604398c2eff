// The loop as a tool of another agent: what a call may say, what it is answered, and what is the application's fault.
import { subprocess } from '@mendloop/sandbox-subprocess'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { RepairResult } from '../../src/contract/loop.js'
import type { ModelAdapter } from '../../src/contract/model.js'
import type { Verifier } from '../../src/contract/verify.js'
import { type AsToolOptions, asTool, type LoopTool, type LoopToolAnswer } from '../../src/repair/as-tool.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { type ScriptedStep, scriptedModel } from '../../src/testing/scripted-model.js'
import { newFailure } from '../../src/verify/new-failure.js'
import { pythonTests } from '../../src/verify/python-tests.js'
import { requires } from '../helpers/requires.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`

const holdsGood: Verifier = {
  name: 'is good',
  visibility: 'visible',
  verify: async ({ candidate }) => ({
    status: candidate.files['solution.py']?.includes('good') ? 'pass' : 'fail',
    integrity: 'shared',
    failures: candidate.files['solution.py']?.includes('good')
      ? []
      : [newFailure({ kind: 'custom', message: `it is not good: ${'é"\n'.repeat(2000)}` })],
  }),
}

const toolOf = (
  replies: readonly string[],
  options: Partial<AsToolOptions> = {},
): { tool: LoopTool; model: ReturnType<typeof scriptedModel> } => {
  const model = scriptedModel(replies)
  const loop = createRepairLoop({ model, sandbox: memorySandbox() })
  return { tool: asTool(loop, { task: { language: 'python', verify: [holdsGood] }, ...options }), model }
}

const said = ({ text }: LoopToolAnswer): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>

test('a call is answered with the program that passed and with what it cost', async () => {
  const { tool, model } = toolOf([program('x = "bad"'), program('x = "good"')])
  const answer = await tool.execute('{"goal": "Write something good.",}')
  expect(answer).toMatchObject({ status: 'verified', result: { status: 'verified' } })
  expect(said(answer)).toEqual({
    status: 'verified',
    summary: 'Every check passed; 2 programs were tried.',
    cost: { attempts: 2, modelCalls: 2, totalTokens: expect.any(Number), wallMs: expect.any(Number) },
    program: { 'solution.py': 'x = "good"\n' },
  })
  expect(JSON.stringify(model.calls[0]?.messages)).toContain('Write something good.')
})

test('a program that never passes is an answer with the best one and what is wrong with it', async () => {
  const { tool } = toolOf([program('x = "bad"'), program('y = "bad"')], { budget: { attempts: 2 } })
  const answer = await tool.execute({ goal: 'Write something good.' })
  expect(answer.status).toBe('exhausted')
  expect(answer.text.length).toBeLessThanOrEqual(8000)
  expect(said(answer)).toMatchObject({ status: 'exhausted', program: { 'solution.py': 'x = "bad"\n' } })
  expect(said(answer)['report']).toContain('it is not good')
  expect(said(answer)['summary']).toContain('attempts')
})

test('of a check that is held out, the caller learns only that it failed', async () => {
  const heldOut: Verifier = {
    name: 'hidden',
    visibility: 'held-out',
    verify: async () => ({
      status: 'fail',
      integrity: 'shared',
      failures: [newFailure({ kind: 'custom', message: 'the hidden reason' })],
    }),
  }
  const task = { language: 'python', verify: [holdsGood, heldOut] }
  const { tool } = toolOf([program('x = "good"')], { task, budget: { attempts: 1 } })
  const { text } = await tool.execute({ goal: 'g' })
  expect(text).toContain('Hidden checks: 1 of 1 failed')
  expect(text).not.toContain('the hidden reason')
})

test('a program that does not fit is left out whole, and its size is told', async () => {
  const { tool } = toolOf([program(`good = "${'é"'.replace('"', "'").repeat(2000)}"`)], { maxChars: 2000 })
  const answer = await tool.execute({ goal: 'g' })
  expect(answer.text.length).toBeLessThanOrEqual(2000)
  expect(said(answer)).toMatchObject({ status: 'verified', programLeftOut: '1 files, 4010 characters' })
  expect(said(answer)['program']).toBeUndefined()
})

test('whatever the program and its failure, the answer is JSON within the bound', async () => {
  const failing = (message: string): Verifier => ({
    name: 'no',
    visibility: 'visible',
    verify: async () => ({
      status: 'fail',
      integrity: 'shared',
      failures: [newFailure({ kind: 'custom', message })],
    }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.nat(30),
      fc.integer({ min: 2000, max: 4000 }),
      async (message, times, maxChars) => {
        const code = `x = ${JSON.stringify(message.repeat(times))}`
        const { tool } = toolOf([program(code)], {
          task: { language: 'python', verify: [failing(message.repeat(times))] },
          budget: { attempts: 1, formatErrors: 0 },
          maxChars,
        })
        const answer = await tool.execute({ goal: 'g' })
        expect(answer.text.length).toBeLessThanOrEqual(maxChars)
        expect(said(answer)['status']).toBe('exhausted')
      },
    ),
    { numRuns: 60 },
  )
})

describe('what a call may say', () => {
  test('a goal and nothing else, unless more is accepted', () => {
    expect(toolOf([]).tool.spec).toMatchObject({
      name: 'write_program',
      description: expect.stringContaining('python'),
      parameters: {
        type: 'object',
        required: ['goal'],
        additionalProperties: false,
        properties: { goal: { type: 'string' } },
      },
    })
    expect(Object.keys(toolOf([]).tool.spec.parameters['properties'] as object)).toEqual(['goal'])
  })

  test('what is accepted is in the schema; tests are required where there are no other checks', () => {
    const accept = { tests: pythonTests, files: true, program: true }
    const { spec } = toolOf([], { name: 'solve', accept, task: { language: 'py' } }).tool
    expect(spec.name).toBe('solve')
    expect(spec.parameters['required']).toEqual(['goal', 'tests'])
    expect(Object.keys(spec.parameters['properties'] as object)).toEqual([
      'goal',
      'tests',
      'files',
      'program',
    ])
  })

  test.each<[what: string, input: unknown, words: string]>([
    ['no goal', {}, 'goal'],
    ['an empty goal', { goal: '' }, 'goal'],
    ['a misspelt key', { gaol: 'x' }, 'known options: goal'],
    ['a file that is not accepted', { goal: 'x', files: { 'a.txt': 'a' } }, 'files'],
    ['broken JSON', '{"goal": "say "hi""}', 'cannot be read'],
    ['no arguments', '', 'empty'],
    ['words', 'write me a program', 'JSON object'],
    ['a list', ['x'], 'write_program'],
    ['nothing', undefined, 'write_program'],
  ])('%s is answered as bad input, and nothing is run', async (_, input, words) => {
    const { tool, model } = toolOf([])
    const answer = await tool.execute(input as string)
    expect(answer).toMatchObject({ status: 'bad-input' })
    expect(answer.result).toBeUndefined()
    expect(said(answer)).toEqual({ status: 'bad-input', summary: expect.stringContaining(words) })
    expect(model.calls).toEqual([])
  })

  test.each<[what: string, input: Record<string, unknown>, words: string]>([
    ['a file of the application', { files: { 'data.csv': 'x' } }, 'there already'],
    ['a file outside', { files: { '../a': 'x' } }, 'leaves the workspace'],
    ['the program as a file', { files: { 'solution.py': 'x' } }, "program's"],
    ['a program without its entry', { program: { 'lib.py': 'x' } }, 'solution.py'],
  ])('%s is refused in words', async (_, input, words) => {
    const { tool } = toolOf([], {
      task: { language: 'python', verify: [holdsGood], files: { 'data.csv': 'a,b\n' } },
      accept: { files: true, program: true },
    })
    const answer = await tool.execute({ goal: 'g', ...input })
    expect(said(answer)).toEqual({ status: 'bad-input', summary: expect.stringContaining(words) })
  })

  test('files and a program reach the run beside those of the application', async () => {
    const seen: string[] = []
    const looks: Verifier = {
      ...holdsGood,
      verify: async ({ sandbox, candidate }) => {
        for (const path of ['a.txt', 'data.csv']) seen.push(await sandbox.files.readText(path))
        seen.push(candidate.files['solution.py'] ?? '')
        return { status: 'pass', integrity: 'shared', failures: [] }
      },
    }
    const { tool } = toolOf([], {
      task: { language: 'python', verify: [looks], files: { 'data.csv': 'mine' } },
      accept: { files: true, program: true },
    })
    const input = {
      goal: 'g',
      files: { 'a.txt': 'theirs' },
      program: { 'solution.py': 'x = 1' },
      tests: null,
    }
    expect((await tool.execute(input)).status).toBe('verified')
    expect(seen).toEqual(['theirs', 'mine', 'x = 1'])
  })
})

describe('aborting', () => {
  test('the signal ends the run, which answers that it was aborted', async () => {
    const controller = new AbortController()
    const waits: ModelAdapter = {
      id: 'waits',
      specVersion: 'model-v1',
      generate: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          controller.abort()
        }),
    }
    const loop = createRepairLoop({ model: waits, sandbox: memorySandbox() })
    const tool = asTool(loop, { task: { language: 'python', verify: [holdsGood] } })
    const answer = await tool.execute({ goal: 'g' }, { signal: controller.signal })
    expect(answer.status).toBe('aborted')
    expect(said(answer)).toMatchObject({ status: 'aborted', cost: { attempts: 0 } })
  })
})

describe('what the application has to mend throws', () => {
  const loop = createRepairLoop({ model: scriptedModel([]), sandbox: memorySandbox() })
  const task = { language: 'python', verify: [holdsGood] }

  test.each<[what: string, options: unknown, words: RegExp]>([
    ['no checks', { task: { language: 'python' } }, /needs at least one check, or accept.tests/],
    ['a language that is none', { task: { ...task, language: 'pithon' } }, /python/],
    ['a task with a goal', { task: { ...task, gaol: 'x' } }, /unknown option "gaol"/],
    ['a name that no model can call', { task, name: 'write program' }, /letters, digits/],
    ['an option that is not known', { task, description_: 'x' }, /unknown option/],
    ['a bound without room', { task, maxChars: 100 }, /at least 2000/],
  ])('%s', (_, options, words) => {
    expect(() => asTool(loop, options as AsToolOptions)).toThrow(words)
  })

  test('no loop', () => {
    expect(() => asTool({} as never, { task })).toThrow(/must be a loop/)
  })

  test('a model that has nothing more to say', async () => {
    await expect(asTool(loop, { task }).execute({ goal: 'g' })).rejects.toThrow(MendloopError)
  })

  test('what the loop itself rejects with', async () => {
    const broken = { run: async (): Promise<RepairResult> => Promise.reject(new TypeError('a bug')) }
    await expect(asTool(broken, { task }).execute({ goal: 'g' })).rejects.toThrow('a bug')
  })
})

describe.skipIf(!requires('python3'))('with real programs', () => {
  const toolFor = (replies: readonly ScriptedStep[]): LoopTool => {
    const loop = createRepairLoop({
      model: scriptedModel(replies),
      sandbox: subprocess({ minimum: 'process' }),
    })
    return asTool(loop, {
      task: { language: 'python' },
      accept: { tests: pythonTests },
      budget: { attempts: 2 },
    })
  }
  const input = { goal: 'Write add(a, b).', tests: 'from solution import add\nassert add(2, 3) == 5' }

  test('the tests of the caller decide', async () => {
    const replies = ['-', '+'].map((sign) => program(`def add(a, b):\n    return a ${sign} b`))
    const answer = await toolFor(replies).execute(JSON.stringify(input))
    expect(said(answer)).toMatchObject({
      status: 'verified',
      program: { 'solution.py': 'def add(a, b):\n    return a + b\n' },
    })
  }, 30_000)

  test('the model of the loop may hand in its program by a tool call, and is told of a broken one', async () => {
    const called = (written: string): ScriptedStep => ({
      finish: 'tool',
      toolCalls: [{ id: 'call', name: 'submit', arguments: written }],
    })
    const code = 'def add(a, b):\\n    return a + b\\n'
    const answer = await toolFor([
      called(`{"code": "${code}" "path": "solution.py"}`),
      called(`{"path": "solution.py", "content": "${code}",}`),
    ]).execute(input)
    expect(answer.status).toBe('verified')
    expect(answer.result?.spent).toMatchObject({ attempts: 1, formatErrors: 1, modelCalls: 2 })
    const rejected = answer.result?.record.events.find(({ type }) => type === 'reply-rejected')
    expect(rejected).toMatchObject({ failure: { kind: 'schema', message: expect.stringContaining('comma') } })
  }, 30_000)

  test('a program that fails them comes with the call that failed', async () => {
    const wrong = program('def add(a, b):\n    return a - b')
    const other = program('def add(a, b):\n    return 0 * a * b')
    const answer = await toolFor([wrong, other]).execute(input)
    expect(answer.status).toBe('exhausted')
    expect(said(answer)['report']).toContain('add(2, 3)')
  }, 30_000)

  test('tests that no program could pass are the fault of the caller', async () => {
    const tests = 'from solution import add\nassert add(2, 3 == 5'
    const answer = await toolFor([program('def add(a, b):\n    return a + b')]).execute({ ...input, tests })
    expect(said(answer)).toMatchObject({
      status: 'bad-input',
      summary: expect.stringContaining('cannot be used'),
    })
  }, 30_000)
})
