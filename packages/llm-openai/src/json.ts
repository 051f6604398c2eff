// Looking into JSON whose shape nobody vouches for.

/** True for a plain object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text, or the empty text for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The parsed value, or undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
