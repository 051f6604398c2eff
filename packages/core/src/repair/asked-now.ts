// Who is asked for the next attempt, and how.
import type { ModelAdapter } from '../contract/model.js'
import type { ModelSettings } from '../engine/ask-model.js'
import type { RepairLoopOptions } from './create-repair-loop.js'

/** The loop's model; when a run goes in circles, whoever is to be asked then. */
export function askedNow(
  { model, maxOutputTokens, temperature, providerOptions, onStall }: RepairLoopOptions,
  isStalling: boolean,
): { readonly model: ModelAdapter; readonly settings: ModelSettings } {
  const other = isStalling ? onStall : undefined
  const chosen = other?.temperature ?? temperature
  return {
    model: other?.model ?? model,
    settings: {
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(chosen !== undefined && { temperature: chosen }),
      // They are made for the one model.
      ...(providerOptions !== undefined && other?.model === undefined && { providerOptions }),
    },
  }
}
