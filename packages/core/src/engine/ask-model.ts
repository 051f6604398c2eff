// One paid turn of the model: budget first, then the call, its events, its price, and what a failure costs.
import { setTimeout as sleep } from 'node:timers/promises'
import { MendloopError } from '../contract/errors.js'
import type { Message, ModelAdapter, ModelReply } from '../contract/model.js'
import { RunEnd } from './run-end.js'
import type { RunScope } from './run-scope.js'

/** First pause after a failed call, in milliseconds; doubled each time. The adapter has done its own retries before. */
const FIRST_PAUSE_MS = 250

/** What of a request the caller of a loop chooses. */
export interface ModelSettings {
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly providerOptions?: unknown
}

/**
 * Asks the model once, and again after a failure that may pass, within the infrastructure budget.
 *
 * @throws RunEnd when a budget forbids the call, the run was ended, or the model cannot be reached
 */
export async function askModel(
  scope: RunScope,
  model: ModelAdapter,
  messages: readonly Message[],
  settings: ModelSettings,
): Promise<ModelReply> {
  for (let failures = 0; ; failures++) {
    scope.check()
    const budget = scope.meter.beforeModelCall()
    if (budget !== undefined) throw new RunEnd({ status: 'exhausted', budget })
    try {
      return await callOnce(scope, model, messages, settings)
    } catch (error) {
      scope.check()
      // A script that ran out is a mistake of the caller's, not a fault of the world.
      if (MendloopError.is(error, 'RECORDING_EXHAUSTED')) throw error
      scope.meter.count('infrastructureErrors')
      const known = MendloopError.is(error) ? error : undefined
      if (known?.retryable === false || scope.meter.exceeded('infrastructureErrors'))
        throw new RunEnd({
          status: 'environment-lost',
          cause: error instanceof Error ? error.message : String(error),
          ...(known !== undefined && { error: known }),
        })
      await sleep(FIRST_PAUSE_MS * 2 ** failures, undefined, { signal: scope.signal }).catch(() => undefined)
    }
  }
}

async function callOnce(
  { events, meter, signal }: RunScope,
  model: ModelAdapter,
  messages: readonly Message[],
  settings: ModelSettings,
): Promise<ModelReply> {
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  events.emit('model-start', { messages })
  try {
    const reply = await model.generate({
      messages,
      ...settings,
      signal,
      onDelta: (text) => events.emit('model-delta', { text }),
    })
    const costUsd = model.price?.(reply.usage)
    meter.chargeModel(reply.usage, costUsd)
    const { raw: _raw, ...recorded } = reply
    events.emit('model-end', {
      reply: recorded,
      ...(costUsd !== undefined && { costUsd }),
      durationMs: durationMs(),
    })
    return recorded
  } catch (error) {
    events.emit('model-error', {
      code: MendloopError.is(error) ? error.code : 'UNKNOWN',
      message: error instanceof Error ? error.message : String(error),
      durationMs: durationMs(),
    })
    throw error
  }
}
