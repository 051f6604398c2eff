// Whether a run goes in circles: the same program again, or the same failure whatever is changed.

/** One attempt, as far as this is concerned. */
export interface Step {
  /** Number of the attempt. */
  readonly attempt: number
  /** Equal for programs of the same text. */
  readonly text: string
  /** Equal for programs that do the same. */
  readonly code: string
  /** Equal for outcomes that are the same; undefined where that is not known. */
  readonly outcome: string | undefined
  /** True when it is better than all before it. */
  readonly improves: boolean
}

/** What came again. */
export interface Repeat {
  /**
   * `text`: the same program, to the letter. `code`: the same but for comments, layout and local names. `failure`:
   * another program that fails in the same way.
   */
  readonly kind: 'text' | 'code' | 'failure'
  /** The attempt that had it first. */
  readonly of: number
}

/** Where a run stands. */
export interface Stall {
  /** Repeats since the last attempt that was better than all before it; whatever lies between them. */
  readonly repeats: number
  /** What the last attempt repeats, if it does. */
  readonly last?: Repeat
}

/**
 * Counts what came again. Two that take turns, or a cycle of any length, repeat as often as one that stands still.
 *
 * @param from - index of the first step whose repeats count
 */
export function stallOf(steps: readonly Step[], from = 0): Stall {
  const seen = {
    text: new Map<string, number>(),
    code: new Map<string, number>(),
    failure: new Map<string, number>(),
  }
  let repeats = 0
  let last: Repeat | undefined
  for (const [index, { attempt, text, code, outcome, improves }] of steps.entries()) {
    last = undefined
    for (const [kind, key] of [
      ['text', text],
      ['code', code],
      ['failure', outcome],
    ] as const) {
      if (key === undefined) continue
      const of = seen[kind].get(key)
      if (of === undefined) seen[kind].set(key, attempt)
      else last ??= { kind, of }
    }
    if (improves || index < from) repeats = 0
    else if (last !== undefined) repeats++
  }
  return { repeats, ...(last !== undefined && { last }) }
}
