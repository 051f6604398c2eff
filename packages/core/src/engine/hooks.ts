// The hooks of one run: each is asked, awaited and held to its form. What it decides, the loop carries out.
import { z } from 'zod'
import { MendloopError } from '../contract/errors.js'
import { inWords } from '../contract/foreign-values.js'
import type {
  AttemptHookInput,
  ExecuteEdit,
  ExecuteHookInput,
  HookDenial,
  HookInput,
  HookQuestion,
  HookSuspension,
  LoopHooks,
  ModelCallEdit,
  ModelCallHookInput,
} from '../contract/hooks.js'
import type { Attempt } from '../contract/loop.js'
import { parseOptions } from '../contract/options.js'
import type { AnsweredQuestion, HookName } from '../contract/questions.js'
import { toWorkspacePath } from '../sandbox/workspace-path.js'
import type { Questions } from './questions.js'
import type { RunScope } from './run-scope.js'

/** A hook may not know that it is to stop; its answer is of no use any more, so that nobody waits for it. */
const PATIENCE_MS = 50
const ALLOWED: ReadonlySet<string> = new Set(['allow', 'yes', 'approve'])
const DENIED: ReadonlySet<string> = new Set(['deny', 'no', 'reject'])

const hook = z.custom<never>((value) => typeof value === 'function', 'must be a function').optional()

/** Schema of {@link LoopHooks}. */
export const hooksSchema: z.ZodType<LoopHooks> = z.strictObject({
  beforeModelCall: hook,
  beforeExecute: hook,
  afterAttempt: hook,
})

const words = z.string().min(1)
const allow = z.strictObject({ decision: z.literal('allow') })
const deny = z.strictObject({ decision: z.literal('deny'), reason: words })
const suspend = z.strictObject({
  decision: z.literal('suspend'),
  question: z.union([
    words,
    z.strictObject({
      question: words,
      options: z.array(words).min(1).readonly().optional(),
      recommended: words.optional(),
    }),
  ]),
})
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })).readonly()]),
})
const editCall = z.strictObject({
  decision: z.literal('edit'),
  messages: z.array(message).min(1).readonly().optional(),
  settings: z
    .strictObject({
      maxOutputTokens: z.int().positive().optional(),
      temperature: z.number().nonnegative().optional(),
      providerOptions: z.unknown().optional(),
    })
    .optional(),
})
const editFiles = z.strictObject({
  decision: z.literal('edit'),
  files: z.record(z.string().min(1), z.string()),
})

const SCHEMAS: Readonly<Record<HookName, z.ZodType>> = {
  beforeModelCall: z.discriminatedUnion('decision', [allow, deny, suspend, editCall]).optional(),
  beforeExecute: z.discriminatedUnion('decision', [allow, deny, suspend, editFiles]).optional(),
  afterAttempt: z.discriminatedUnion('decision', [allow, deny, suspend]).optional(),
}

type Known = { readonly decision: 'allow' } | HookDenial | HookSuspension | ModelCallEdit | ExecuteEdit
type Own<Input> = Omit<Input, keyof HookInput>

/** What a call is sent with. */
export type SentCall = Pick<ModelCallHookInput, 'messages' | 'settings'>

/** Asks the hooks of one run. */
export class HookGate {
  readonly #scope: RunScope
  readonly #hooks: LoopHooks
  readonly #questions: Questions

  constructor(scope: RunScope, hooks: LoopHooks | undefined, questions: Questions) {
    this.#scope = scope
    this.#hooks = hooks ?? {}
    this.#questions = questions
  }

  /**
   * What is to be sent. A call for a program that is denied ends the run; of another, undefined says that it is not made.
   *
   * @throws RunEnd, MendloopError INVALID_OPTION naming the hook
   */
  async beforeModelCall(call: Own<ModelCallHookInput>): Promise<SentCall | undefined> {
    const own = { ...call, messages: call.messages.map((message) => ({ ...message })) }
    const decision = await this.#ask('beforeModelCall', own)
    if (decision.decision === 'deny') {
      if (call.purpose === 'program') this.#escalate('beforeModelCall', 'Asking the model', decision)
      this.actedOn('beforeModelCall')
      return undefined
    }
    const { messages, settings } = call
    if (decision.decision !== 'edit' || 'files' in decision) return { messages, settings }
    return { messages: decision.messages ?? messages, settings: { ...settings, ...decision.settings } }
  }

  /**
   * Whether a program may run, and with which files in place of its own.
   *
   * @throws RunEnd, MendloopError INVALID_OPTION naming the hook
   */
  async beforeExecute(program: Own<ExecuteHookInput>): Promise<HookDenial | ExecuteEdit | undefined> {
    const { candidate } = program
    const own = { ...program, candidate: { ...candidate, files: { ...candidate.files } } }
    const decision = await this.#ask('beforeExecute', own)
    if (decision.decision === 'deny') return decision
    if (decision.decision !== 'edit' || !('files' in decision)) return undefined
    try {
      const files = Object.entries(decision.files).map(
        ([path, text]) => [toWorkspacePath(path), text] as const,
      )
      return { ...decision, files: Object.fromEntries(files) }
    } catch (error) {
      throw failed('beforeExecute', error)
    }
  }

  /**
   * @throws RunEnd when it may not go on after this attempt; MendloopError INVALID_OPTION naming the hook
   */
  async afterAttempt(judged: Own<AttemptHookInput>): Promise<void> {
    const decision = await this.#ask('afterAttempt', judged)
    if (decision.decision === 'deny')
      this.#escalate('afterAttempt', `Going on after attempt ${judged.result.attempt}`, decision)
    this.#questions.actedOn('afterAttempt')
  }

  /** What was answered to this hook has had its effect. */
  actedOn(hook: HookName): void {
    this.#questions.actedOn(hook)
  }

  /** What stopped the run that is resumed after its last attempt is asked for once more. */
  async afterResumption(last: Attempt | undefined): Promise<void> {
    if (last === undefined || !this.#questions.concerns('afterAttempt')) return
    this.#scope.events.attempt = last.attempt
    await this.afterAttempt({ result: last })
  }

  async #ask(name: HookName, own: object): Promise<Known> {
    const answer = this.#questions.standing(name)
    const said = answer && decided(answer, name)
    if (said !== undefined) return said
    const ask = this.#hooks[name] as ((input: unknown) => unknown) | undefined
    if (ask === undefined) return { decision: 'allow' }
    const decision = await this.#answerOf(name, ask, {
      runId: this.#scope.events.runId,
      attempt: this.#scope.events.attempt,
      spent: this.#scope.meter.spent(),
      signal: this.#scope.signal,
      ...(answer !== undefined && { answer }),
      ...own,
    })
    if (decision.decision !== 'suspend') return decision
    const asked: HookQuestion =
      typeof decision.question === 'string' ? { question: decision.question } : decision.question
    return this.#questions.suspend({ ...ALLOW_OR_DENY, ...asked, why: 'approval', hook: name })
  }

  async #answerOf(name: HookName, ask: (input: unknown) => unknown, input: object): Promise<Known> {
    this.#scope.check()
    try {
      const answer = await this.#scope.settled(
        Promise.resolve().then(() => ask(input)),
        PATIENCE_MS,
      )
      this.#scope.check()
      return (parseOptions(SCHEMAS[name], answer ?? undefined, `the hook ${name}()`) ?? {
        decision: 'allow',
      }) as Known
    } catch (error) {
      // One that was ended with the run may well throw.
      this.#scope.check()
      throw failed(name, error)
    }
  }

  #escalate(hook: HookName, what: string, { reason }: HookDenial): never {
    const question = `${what} was denied: ${reason}`
    return this.#questions.suspend({ ...ALLOW_OR_DENY, question, why: 'escalation', hook })
  }
}

const failed = (name: HookName, error: unknown): MendloopError =>
  new MendloopError('INVALID_OPTION', `createRepairLoop(): the hook "${name}" failed: ${inWords(error)}`, {
    details: {
      option: `hooks.${name}`,
      expected: 'a function that returns a decision',
      received: 'an error',
    },
    cause: error,
  })

const ALLOW_OR_DENY = { options: ['allow', 'deny'], recommended: 'deny' } as const

/** What a person's answer decides without a further word of the hook's. */
function decided({ answer, question }: AnsweredQuestion, hook: HookName): Known | undefined {
  const word = answer.trim().toLowerCase()
  if (ALLOWED.has(word)) return { decision: 'allow' }
  if (DENIED.has(word))
    return { decision: 'deny', reason: `A person was asked "${question}" and said ${word}.` }
  // After an attempt, whatever else is said is advice for the next one.
  return hook === 'afterAttempt' ? { decision: 'allow' } : undefined
}

/** Whether the model is told what was answered: its own questions, and a person's advice after an attempt. */
export const isForModel = ({ why, hook, answer }: AnsweredQuestion): boolean =>
  why === 'question' ||
  (hook === 'afterAttempt' &&
    !ALLOWED.has(answer.trim().toLowerCase()) &&
    !DENIED.has(answer.trim().toLowerCase()))
