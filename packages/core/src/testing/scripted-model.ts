// A model that says what it was told to say: it records every call and refuses to make anything up.
import { MendloopError } from '../contract/errors.js'
import { isError } from '../contract/foreign-values.js'
import type { ModelAdapter, ModelReply, ModelRequest, Usage } from '../contract/model.js'

/** One reply of a script: its text, parts of a reply, an error to throw, or a function of the request. */
export type ScriptedStep =
  | string
  | Partial<ModelReply>
  | Error
  | ((request: ModelRequest) => string | Partial<ModelReply> | Promise<string | Partial<ModelReply>>)

/** How a {@link scriptedModel} should be. */
export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly id?: string
  /** What each reply that names no usage is said to have used. Default: an estimate, flagged as one. */
  readonly usage?: Usage
  /** US dollars; without it the model does not know its price. */
  readonly price?: (usage: Usage) => number | undefined
}

/** A model double. */
export interface ScriptedModel extends ModelAdapter {
  /** Every request so far, in order. */
  readonly calls: readonly ModelRequest[]
  /** Throws when steps of the script were left unused; call it at the end of a test. */
  assertUsedUp(): void
}

/** Rule of thumb for English and code; only ever reported as an estimate. */
const CHARACTERS_PER_TOKEN = 4

/**
 * Makes a model that gives the replies of a script, one a call.
 *
 * A call past the end of the script throws RECORDING_EXHAUSTED, which a loop hands on by rejecting.
 *
 * @param steps - replies in order; text is also streamed to `onDelta`, line by line
 */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const calls: ModelRequest[] = []
  const id = options.id ?? 'scripted'
  return {
    id,
    specVersion: 'model-v1',
    calls,
    ...(options.price !== undefined && { price: options.price }),
    async generate(request) {
      const step = steps[calls.length]
      if (step === undefined)
        throw new MendloopError(
          'RECORDING_EXHAUSTED',
          `The scripted model "${id}" has ${steps.length} replies and was asked for another. Add a step to the script.`,
          { details: { model: id, answered: calls.length } },
        )
      calls.push(request)
      if (request.signal.aborted)
        throw new MendloopError('ABORTED', 'The request was aborted.', { details: { during: 'model' } })
      if (isError(step)) throw step
      const said = typeof step === 'function' ? await step(request) : step
      const partial = typeof said === 'string' ? { text: said } : said
      const text = partial.text ?? ''
      for (const line of text.split(/(?<=\n)/)) if (line !== '') request.onDelta?.(line)
      return {
        toolCalls: [],
        finish: 'stop',
        usage: options.usage ?? estimate(request, text),
        ...partial,
        text,
      }
    },
    assertUsedUp() {
      if (calls.length < steps.length)
        throw new Error(`The scripted model "${id}" was asked ${calls.length} of ${steps.length} times.`)
    },
  }
}

function estimate({ messages }: ModelRequest, text: string): Usage {
  const sent = messages.reduce(
    (sum, { content }) =>
      sum + (typeof content === 'string' ? content.length : JSON.stringify(content).length),
    0,
  )
  const tokens = (length: number): number => Math.ceil(length / CHARACTERS_PER_TOKEN)
  return { inputTokens: tokens(sent), outputTokens: tokens(text.length), estimated: true }
}
