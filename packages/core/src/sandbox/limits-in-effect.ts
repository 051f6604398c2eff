// What an execution is held to: the defaults, over them the sandbox's own limits, over them what was asked for.
import { DEFAULT_LIMITS, type Limits, type Sandbox } from '../contract/sandbox.js'

type Layer = Partial<Limits> | undefined

/** Limits laid over each other, the last one on top. A key that is present and undefined asks for nothing. */
export function overlaid(...layers: readonly Layer[]): Partial<Limits> {
  const top: { -readonly [Name in keyof Limits]?: Limits[Name] } = {}
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer ?? {}))
      if (value !== undefined) top[name as keyof Limits] = value
  return top
}

/** The limits of an execution in `sandbox` that asks for `asked`, the last layer on top. */
export const limitsInEffect = ({ limits }: Pick<Sandbox, 'limits'>, ...asked: readonly Layer[]): Limits => ({
  ...DEFAULT_LIMITS,
  ...overlaid(limits, ...asked),
})
