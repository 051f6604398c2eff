// What a case of kind `loop` asks for: which replies the model gives, under which budget, and what must come of it.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Limits, ModelReply } from '@mendloop/core'
import type { BugCase, Fields } from './bug-case.js'
import {
  asCount,
  asFilledEntries,
  asFilledList,
  asFilledText,
  asFilledTexts,
  asKnown,
  asNumber,
  asObject,
  asObjectOf,
  asText,
  NotUnderstood,
} from './expectation.js'
import { asLanguage } from './language-names.js'
import { limitOf } from './limit-names.js'
import { FINISHES } from './names.js'

/** What the model says once. */
export type ScriptedReply = Pick<ModelReply, 'text'> &
  Partial<Pick<ModelReply, 'reasoning' | 'refusal' | 'finish'>>

/** The script asks for something that this runner cannot do: the case is neither passed nor failed. */
export class NotDriven extends Error {}

/** One run of the loop. */
export interface LoopTry {
  /** Tells tries of one case apart; empty where there is only one. */
  readonly name: string
  /** What the model says, in order; the last one again for ever, or all of them in turn. */
  readonly replies: readonly ScriptedReply[]
  readonly takesTurns: boolean
  /** What the model's server answers before a reply comes through: `500`, `ok`; the last one for ever. */
  readonly transport: readonly string[]
  /** Tokens of each call; undefined: an estimate. */
  readonly usagePerCall: number | undefined
  readonly options: LoopOptions
  /** The task's files, by path. */
  readonly files: Readonly<Record<string, string>>
  /** Patterns of the files among them, or added to them, that the model may not touch. */
  readonly protectedFiles: readonly string[]
  readonly check: LoopCheck | undefined
  readonly expect: Fields
}

/** What decides: tests, checks as in kind `verdict`, or an expression of Python that must be true. */
export interface LoopCheck {
  readonly sort: 'tests' | 'checks' | 'expression'
  readonly text: string
}

/** `options` of kind `loop`, by the neutral names; a value that makes no sense is for the product to refuse. */
export interface LoopOptions {
  readonly language: string
  readonly maxAttempts?: number
  readonly maxFeedbackChars?: number
  readonly maxTokensTotal?: number
  readonly maxOutputTokens?: number
  readonly transportRetries?: number
  readonly totalTimeoutMs?: number
  readonly abortAfterMs?: number
  readonly stallAfter?: number
  readonly limits: Partial<Limits>
}

/** Every run that the case asks for. Such as B82's: one reply, several budgets. */
export function readTries({ input, expect, folder }: BugCase): readonly LoopTry[] {
  const read = (file: unknown): string => readFileSync(join(folder, asFilledText(file)), 'utf8')
  const file = asFilledText(input['input'])
  const shared = {
    files: readFiles(input['files'], read),
    protectedFiles: input['protected'] === undefined ? [] : asFilledTexts(input['protected']),
    check: readCheck(input['check'], read),
  }
  const options = asObject(input['options'] ?? {})
  if (extname(file) !== '.json') {
    const isReply = ['.md', '.txt'].includes(extname(file))
    const reply = { text: isReply ? read(file) : fenced(read(file), extname(file).slice(1)) }
    const script = { ...NOTHING, replies: [reply], options: readOptions(options) }
    return [{ ...shared, ...script, name: '', expect }]
  }
  const content: unknown = JSON.parse(read(file))
  const {
    cases,
    alternating,
    note: _,
    ...top
  } = asObject(Array.isArray(content) ? { replies: content } : content)
  const list = cases === undefined ? [{}] : asFilledList(cases).map(asObject)
  const tries = list.map((own, index) => {
    const joined = { ...top, ...own }
    const ownOptions = { ...options, ...asObject(top['options'] ?? {}), ...asObject(own['options'] ?? {}) }
    const { note: _note, ...wanted } = asObject(joined['expect'] ?? {})
    return {
      ...shared,
      ...readSteps(joined),
      options: readOptions(ownOptions),
      name: list.length === 1 ? '' : `case ${index + 1}`,
      expect: { ...expect, ...wanted },
    }
  })
  return alternating === undefined ? tries : [...tries, inTurns(tries[0], asFilledList(alternating))]
}

const NOTHING = { takesTurns: false, transport: [], usagePerCall: undefined }
type Steps = Pick<LoopTry, 'replies' | 'takesTurns' | 'transport' | 'usagePerCall'>

function readSteps(fields: Fields): Steps {
  const known = ['reply', 'replies', 'transport', 'usagePerCall', 'options', 'expect', 'note']
  const odd = Object.keys(fields).find((key) => !known.includes(key))
  if (odd !== undefined) throw new NotDriven(`this runner knows no "${odd}" of a loop`)
  const { reply, replies, transport, usagePerCall } = fields
  if ((reply === undefined) === (replies === undefined))
    throw new NotUnderstood('either "reply" or "replies" is needed')
  return {
    ...NOTHING,
    replies: (reply === undefined ? asFilledList(replies) : [reply]).map(asReply),
    transport: transport === undefined ? [] : asFilledList(transport).map(asTransport),
    usagePerCall: usagePerCall === undefined ? undefined : asCount(usagePerCall),
  }
}

function asReply(value: unknown): ScriptedReply {
  if (typeof value === 'string') return { text: value }
  const { text, reasoning, refusal, finish } = asObjectOf(value, ['text', 'reasoning', 'refusal', 'finish'])
  return {
    text: asText(text ?? ''),
    ...(reasoning !== undefined && { reasoning: asText(reasoning) }),
    ...(refusal !== undefined && { refusal: asText(refusal) }),
    ...(finish !== undefined && { finish: asKnown(finish, FINISHES) }),
  }
}

function asTransport(value: unknown): string {
  const step = typeof value === 'number' ? String(value) : asText(value)
  if (step === 'ok' || /^[45]\d\d$/.test(step)) return step
  throw new NotUnderstood(`the transport step "${step}" is not known`)
}

/** `["A", "B", "A"]`: programs that take turns, each of which fails in its own way. How it ends must be the same. */
function inTurns(like: LoopTry | undefined, letters: readonly unknown[]): LoopTry {
  if (like === undefined) throw new NotUnderstood('there is nothing to alternate')
  const replies = letters.map((letter) => ({
    text: fenced(`raise ValueError(${JSON.stringify(asFilledText(letter))})\n`, 'py'),
  }))
  const ends = ['outcome', 'outcomeNot', 'verdict'].filter((key) => key in like.expect)
  const expect = Object.fromEntries(ends.map((key) => [key, like.expect[key]]))
  return { ...like, ...NOTHING, name: 'alternating', replies, takesTurns: true, expect }
}

/** A program as a model would hand it in. */
const fenced = (code: string, tag: string): string => `\`\`\`${tag}\n${code.replace(/\n?$/, '\n')}\`\`\`\n`

/** A text names a file with contents by path; an object names a file of the case for each path. */
function readFiles(value: unknown, read: (file: unknown) => string): Record<string, string> {
  if (value === undefined) return {}
  if (typeof value !== 'string')
    return Object.fromEntries(asFilledEntries(value).map(([path, file]) => [path, read(file)]))
  const contents = asFilledEntries(JSON.parse(read(value)))
  return Object.fromEntries(contents.map(([path, content]) => [path, asText(content)]))
}

function readCheck(value: unknown, read: (file: unknown) => string): LoopCheck | undefined {
  if (value === undefined) return undefined
  const text = asFilledText(value)
  if (/^[\w./-]+\.py$/.test(text)) return { sort: 'tests', text: read(text) }
  if (/^[\w./-]+\.json$/.test(text)) return { sort: 'checks', text: read(text) }
  return { sort: 'expression', text }
}

const NUMBERS = [
  ...['maxAttempts', 'maxFeedbackChars', 'maxTokensTotal', 'maxOutputTokens'],
  ...['transportRetries', 'totalTimeoutMs', 'abortAfterMs'],
] as const

function readOptions(options: Fields): LoopOptions {
  const { language, stuckAfter, ...rest } = options
  const isNumber = (key: string): boolean => (NUMBERS as readonly string[]).includes(key)
  const entries = Object.entries(rest).map(([key, value]) => [key, asNumber(value)] as const)
  return {
    language: asLanguage(language ?? 'python'),
    ...(stuckAfter !== undefined && { stallAfter: asCount(stuckAfter) }),
    ...Object.fromEntries(entries.filter(([key]) => isNumber(key))),
    limits: Object.assign({}, ...entries.filter(([key]) => !isNumber(key)).map(asLimit)),
  }
}

function asLimit([key, value]: readonly [string, number]): Partial<Limits> {
  try {
    return limitOf(key, value)
  } catch (error) {
    throw error instanceof NotUnderstood ? new NotDriven(error.message) : error
  }
}
