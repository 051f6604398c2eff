// A run as training data: user, assistant, what came of it, and nothing of what was kept back.
import { beforeAll, describe, expect, test } from 'vitest'
import type { RepairResult } from '../../src/contract/loop.js'
import { toChatData } from '../../src/trace/chat-data.js'
import { recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import { requires } from '../helpers/requires.js'
import { failedRun, MENDED, recordedRun, reply } from './recorded-run.js'

describe.runIf(requires('python3'))('the conversation of a mended program', () => {
  let result: RepairResult
  beforeAll(async () => {
    result = (await recordedRun(MENDED, { task: { note: 'Think of even lengths.' } })).result
  }, 60_000)

  test('alternates between what the model was told and what it wrote, each tagged', () => {
    const [chat, ...others] = toChatData(recordFromJsonl(recordToJsonl(result.record)))
    expect(others).toEqual([])
    expect(chat?.messages.map(({ role }, at) => [role, chat.metadata.tags[at]])).toEqual([
      ['system', ['system']],
      ['user', ['task', 'human-feedback']],
      ['assistant', ['rejected']],
      ['user', ['format-feedback']],
      ['assistant', ['code']],
      ['user', ['execution-feedback']],
      ['assistant', ['code']],
      ['user', ['execution-feedback']],
      ['assistant', ['code']],
    ])
    const said = chat?.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
    expect(said).toEqual(
      MENDED.map((step) => (typeof step === 'string' ? step : (step as { text: string }).text)),
    )
    expect(chat?.messages[5]?.content).toContain('née')
    expect(chat?.metadata).toMatchObject({ status: 'verified', language: 'python', model: 'scripted' })
  })

  test('holds nothing of held-out checks unless it is asked for, and then only how they ended', () => {
    const without = JSON.stringify(toChatData(result.record))
    expect(without).not.toContain('kept back')
    const [chat] = toChatData(result.record, { heldOut: true })
    const checks = chat?.metadata.attempts.map((attempt) =>
      attempt.checks.map(({ name, visibility, status }) => `${name} ${visibility} ${status}`),
    )
    expect(checks?.map((one) => one.at(-1))).toEqual([
      'kept back held-out not-run',
      'kept back held-out fail',
      'kept back held-out pass',
    ])
    expect(chat?.metadata.attempts.map(({ attempt, message }) => [attempt, message])).toEqual([
      [1, 4],
      [2, 6],
      [3, 8],
    ])
    for (const text of [without, JSON.stringify(chat)])
      expect(text).not.toMatch(/held-out-sentinel|5, 1, 9, 3/)
    // The record itself keeps it, so that the test above could fail.
    expect(recordToJsonl(result.record)).toContain('5, 1, 9, 3')
  })

  test('leaves out rejected replies with what was said of them, on demand', () => {
    const [chat] = toChatData(result.record, { dropRejected: true })
    expect(chat?.messages.map(({ role }) => role)).toEqual([
      'system',
      ...['user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
    ])
    expect(JSON.stringify(chat)).not.toMatch(/weather|could not be used/)
  })

  test('begins with the program and what was wrong with it when the task brought one', async () => {
    const program = { 'solution.py': 'def median(xs):\n    return xs[0]\n' }
    const begun = await recordedRun([reply('from statistics import median')], { task: { program } })
    const [chat] = toChatData(begun.result.record)
    expect(chat?.metadata.tags).toEqual([['system'], ['task'], ['code'], ['execution-feedback'], ['code']])
    expect(chat?.messages[2]?.content).toContain('return xs[0]')
  })
})

test('runs that were not verified are left out on demand, and what was never answered is nothing', async () => {
  const { result } = await failedRun([reply('x = 1')])
  expect(toChatData(result.record)).toHaveLength(1)
  expect(toChatData(result.record, { verifiedOnly: true })).toEqual([])
  const unanswered = result.record.events.filter(({ type }) => type !== 'model-end')
  expect(toChatData({ ...result.record, events: unanswered })).toEqual([])
  expect(toChatData({ ...result.record, events: [] })).toEqual([])
})

test('a reply that was only a refusal is its words, and an unknown option is refused', async () => {
  const { result } = await failedRun([{ text: '', refusal: 'I will not.' }, reply('x = 1')])
  const [chat] = toChatData(result.record)
  expect(chat?.messages[2]).toEqual({ role: 'assistant', content: 'I will not.' })
  expect(() => toChatData(result.record, { heldout: true } as never)).toThrow('heldOut')
})
