// One paid turn of the model: budget first, then the call, its events, its price, and what a failure costs.
import { setTimeout as sleep } from 'node:timers/promises'
import { MendloopError } from '../contract/errors.js'
import type { CallPurpose, CallSettings } from '../contract/events.js'
import { inWords } from '../contract/foreign-values.js'
import type { Message, ModelAdapter, ModelReply } from '../contract/model.js'
import { estimatePromptTokens, estimateTokens } from '../model/token-estimate.js'
import { completeUsage } from '../model/usage.js'
import { recordedSettings } from './recorded-settings.js'
import { RunEnd } from './run-end.js'
import type { RunScope } from './run-scope.js'

/** First pause after a failed call, in milliseconds; doubled each time. The adapter has done its own retries before. */
const FIRST_PAUSE_MS = 250

/** What of a request the caller of a loop chooses. */
export type ModelSettings = CallSettings

/** Who is asked what. */
export interface ModelCall {
  readonly model: ModelAdapter
  readonly messages: readonly Message[]
  readonly settings: ModelSettings
  readonly purpose: CallPurpose
  /** Called with the reply before any event tells of it. */
  paid(reply: ModelReply): void
}

/**
 * Asks the model once, and again after a failure that may pass, within the infrastructure budget.
 *
 * @throws RunEnd when a budget forbids the call, the run was ended, or the model cannot be reached
 */
export async function askModel(scope: RunScope, asked: ModelCall): Promise<void> {
  for (let failures = 0; ; failures++) {
    scope.check()
    const budget = scope.meter.beforeModelCall()
    if (budget !== undefined) throw new RunEnd({ status: 'exhausted', budget })
    try {
      return await callOnce(scope, asked)
    } catch (error) {
      countFault(scope, error)
      const known = MendloopError.is(error) ? error : undefined
      if (known?.retryable === false || scope.meter.exceeded('infrastructureErrors'))
        throw new RunEnd({
          status: 'environment-lost',
          cause: inWords(error),
          ...(known !== undefined && { error: known }),
        })
      await sleep(FIRST_PAUSE_MS * 2 ** failures, undefined, { signal: scope.signal }).catch(() => undefined)
    }
  }
}

/**
 * Asks once for what the run can do without: a call that a budget forbids is not made, and one that fails is told of.
 *
 * @throws RunEnd when the run was ended
 */
export async function askInPassing(scope: RunScope, asked: ModelCall): Promise<void> {
  scope.check()
  // What it finds is for the next call.
  if (scope.meter.beforeModelCall(2) !== undefined) return
  try {
    await callOnce(scope, asked)
  } catch (error) {
    countFault(scope, error)
  }
}

/** @throws RunEnd when the run was ended; `error` when it is nobody's but the caller's */
function countFault(scope: RunScope, error: unknown): void {
  scope.check()
  // A script that ran out is a mistake of the caller's, not a fault of the world.
  if (MendloopError.is(error, 'RECORDING_EXHAUSTED')) throw error
  scope.meter.count('infrastructureErrors')
}

async function callOnce(
  scope: RunScope,
  { model, messages, settings, purpose, paid }: ModelCall,
): Promise<void> {
  const { events, meter, signal } = scope
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  const call = ++events.calls
  events.emit('model-start', {
    call,
    model: model.id,
    purpose,
    messages,
    settings: recordedSettings(settings),
  })
  try {
    const onDelta = (text: string): void => events.emit('model-delta', { text })
    const answer = await scope.settled(model.generate({ messages, ...settings, signal, onDelta }))
    const reply = toReply(answer, messages, model)
    const costUsd = model.price?.(reply.usage)
    meter.chargeModel(reply.usage, costUsd)
    // Known before anybody is told, so that a state taken by a listener holds it.
    paid(reply)
    events.emit('model-end', {
      call,
      reply,
      ...(costUsd !== undefined && { costUsd }),
      durationMs: durationMs(),
    })
  } catch (error) {
    events.emit('model-error', {
      call,
      code: MendloopError.is(error) ? error.code : 'UNKNOWN',
      message: inWords(error),
      durationMs: durationMs(),
    })
    throw error
  }
}

/** An adapter is somebody's code: what it leaves out is filled in, and what is no reply is an error that names it. */
function toReply(answer: ModelReply, messages: readonly Message[], model: ModelAdapter): ModelReply {
  if (typeof answer?.text !== 'string')
    throw new MendloopError(
      'MODEL_REQUEST_FAILED',
      `The model adapter "${model.id}" gave a reply without text. Let generate() resolve to a ModelReply.`,
      { details: { model: model.id, reason: 'malformed-response' } },
    )
  const { raw: _raw, ...reply } = answer
  // Without numbers a token budget would never end; an estimate is flagged as one.
  const usage = completeUsage(reply.usage ?? {}, {
    inputTokens: estimatePromptTokens(messages),
    outputTokens: estimateTokens(reply.text),
  })
  return { ...reply, toolCalls: reply.toolCalls ?? [], finish: reply.finish ?? 'other', usage }
}
