// A failure that a second reading looks at: when it is asked for, what the model is told then, and what goes wrong with it.
import { expect, test } from 'vitest'
import type { RunState } from '../../src/contract/loop.js'
import type { ModelAdapter } from '../../src/contract/model.js'
import { createRepairLoop, type RepairLoopOptions } from '../../src/repair/create-repair-loop.js'
import { type ScriptedModel, scriptedModel } from '../../src/testing/scripted-model.js'
import { toChatData } from '../../src/trace/chat-data.js'
import { promptsOf } from '../../src/trace/recorded-calls.js'
import { expectOutput } from '../../src/verify/expect-output.js'
import { localSandbox } from '../helpers/local-sandbox.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`
const task = { goal: 'Print 3.', language: 'python', verify: [expectOutput('3\n')] }
const CAUSE = 'Line 2 prints two. It should print three.'

const loopOf = (model: ModelAdapter, more: Partial<RepairLoopOptions> = {}) =>
  createRepairLoop({
    model,
    sandbox: { id: 'local', specVersion: 'sandbox-v1', create: localSandbox },
    ...more,
  })

const said = (model: ScriptedModel, call: number): string =>
  (model.calls[call]?.messages ?? []).map(({ content }) => String(content)).join('\n')

test('from the first repeat on, its words stand where the output stood', async () => {
  const model = scriptedModel([
    program('print("noise")\nprint(2)'),
    program('print("noise")\nprint( 2 )  # mended'),
    `<think>\nhm\n</think>\n${CAUSE} Then it works. And so on.`,
    program('print(3)'),
  ])
  const result = await loopOf(model, { diagnosis: true }).run(task)
  expect(result).toMatchObject({ status: 'verified', spent: { attempts: 3, modelCalls: 4 } })
  expect(said(model, 1)).toMatch(/<stdout [\s\S]*noise/u)
  // It reads what the model would have read.
  expect(said(model, 2)).toMatch(/^You read programs that failed[\s\S]*Print 3\.[\s\S]*<stdout [\s\S]*noise/u)
  expect(said(model, 3)).toContain(`A second reading says: ${CAUSE} Then it works.\n`)
  expect(said(model, 3)).not.toMatch(/^<stdout [a-z0-9]/mu)
  const told = result.record.events.flatMap((event) => (event.type === 'feedback-ready' ? [event.text] : []))
  expect(told[1]).toContain(CAUSE)
  expect(promptsOf(result.record).map(({ purpose }) => purpose)).toEqual([
    'program',
    'program',
    'diagnosis',
    'program',
  ])
  const [chat] = toChatData(result.record)
  expect(chat?.messages.filter(({ role }) => role === 'assistant')).toHaveLength(3)
})

test('another model, at every failed attempt', async () => {
  const model = scriptedModel([program('print(1)'), program('print(2)'), program('print(3)')])
  const reader = scriptedModel(['It prints one.', 'It prints two.'])
  const result = await loopOf(model, {
    diagnosis: { model: reader, afterRepeats: 0, maxOutputTokens: 99 },
  }).run(task)
  expect(result).toMatchObject({ status: 'verified', spent: { attempts: 3, modelCalls: 5 } })
  expect(reader.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([99, 99])
  expect(said(model, 1)).toContain('A second reading says: It prints one.')
  expect(said(model, 2)).toContain('A second reading says: It prints two.')
})

test.each([
  ['says nothing', () => scriptedModel(['```\nprint(3)\n```'])],
  ['refuses', () => scriptedModel([{ text: '', refusal: 'no' }])],
  [
    'is not there',
    (): ModelAdapter => ({
      id: 'gone',
      specVersion: 'model-v1',
      generate: () => Promise.reject(new Error('gone')),
    }),
  ],
])('one that %s costs nothing else', async (_, reader) => {
  const model = scriptedModel([program('print("noise")'), program('print(3)')])
  const result = await loopOf(model, { diagnosis: { model: reader(), afterRepeats: 0 } }).run(task)
  expect(result.status).toBe('verified')
  expect(said(model, 1)).toMatch(/<stdout [\s\S]*noise/u)
  expect(said(model, 1)).not.toContain('second reading')
})

test('where the budget allows no other call, none is made for it', async () => {
  const model = scriptedModel([program('print(1)'), program('print(2)')])
  const reader = scriptedModel(['It prints one.'])
  const result = await loopOf(model, {
    // The one that is left is for a program.
    budget: { modelCalls: 2 },
    diagnosis: { model: reader, afterRepeats: 0 },
  }).run(task)
  expect(result).toMatchObject({ status: 'exhausted', budget: 'modelCalls' })
  expect(reader.calls).toEqual([])
})

test('a run that is gone on with knows what was found, and pays for it once', async () => {
  const model = scriptedModel([program('print(1)')])
  const reader = scriptedModel(['It prints one.'])
  const first = loopOf(model, { diagnosis: { model: reader, afterRepeats: 0 } }).start(task)
  first.on('feedback-ready', () => first.abort())
  expect(await first.result).toMatchObject({ status: 'aborted' })
  const state = JSON.parse(JSON.stringify(first.state())) as RunState
  const later = scriptedModel([program('print(3)')])
  const silent = scriptedModel([])
  const loop = loopOf(later, { diagnosis: { model: silent, afterRepeats: 0 } })
  expect((await loop.resume(task, state).result).status).toBe('verified')
  expect(silent.calls).toEqual([])
  expect(said(later, 0)).toContain('A second reading says: It prints one.')
})

test('options that are not known are refused', () => {
  const model = scriptedModel([])
  for (const diagnosis of ['yes', { after: 1 }, { afterRepeats: -1 }, { model: {} }])
    expect(() => loopOf(model, { diagnosis } as never)).toThrow(/diagnosis/u)
})
