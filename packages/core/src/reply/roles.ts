// Which of several blocks in the asked language is the program, when no path label says so.
import type { Judged } from './judge.js'
import { findOmission } from './omission.js'

/** A reply with more is no program; keeps the comparison of blocks cheap. */
const BLOCKS_AT_MOST = 100

/** The choice. */
export interface Choice {
  /** Blocks that make up the program, in order; more than one when a later part needs an earlier one. */
  readonly chosen: readonly Judged[]
  readonly warnings: readonly string[]
}

/**
 * Chooses the program:
 *
 * 1. blocks that define something go before those that only call, print or assert (usage, output); of these, blocks that
 *    parse before those that do not, and whole ones before those with a comment for left-out code;
 * 2. with an entry point, the last block that defines it, and what that needs of the blocks before;
 * 3. tests go last;
 * 4. from first to last, a block that defines all that the program so far does is a complete rewrite and replaces it;
 *    one that uses the program's names for more definitions is its continuation and joins it; any other is an
 *    alternative or an excerpt, and the longer one stays.
 */
export function chooseProgram(pool: readonly Judged[], entryPoint: string | undefined): Choice {
  const defining = preferring(pool, defines)
  const whole = preferring(defining, (one) => one.parses !== false)
  const complete = preferring(whole, (one) => findOmission(one.code, one.is, undefined) === undefined)
  const warnings = complete.length < whole.length ? ['omission-placeholder-skipped'] : []
  if (entryPoint !== undefined) {
    const withEntry = complete.filter(
      (one) => one.outline?.defines.has(entryPoint) ?? mentionsDefinition(one, entryPoint),
    )
    const last = withEntry.at(-1)
    if (last !== undefined) {
      const before = complete.slice(0, complete.indexOf(last)).slice(-BLOCKS_AT_MOST)
      return finish([...needed(last, before), last], warnings)
    }
  }
  const programs = preferring(complete, (one) => !isTest(one))
  let chosen: readonly Judged[] = []
  for (const next of programs.slice(-BLOCKS_AT_MOST))
    chosen = chosen.length === 0 ? [next] : follow(chosen, next)
  return finish(chosen, warnings)
}

function finish(chosen: readonly Judged[], warnings: readonly string[]): Choice {
  return { chosen, warnings: chosen.length > 1 ? [...warnings, 'blocks-joined'] : warnings }
}

function preferring(pool: readonly Judged[], test: (one: Judged) => boolean): readonly Judged[] {
  const preferred = pool.filter(test)
  return preferred.length > 0 ? preferred : pool
}

function follow(chosen: readonly Judged[], next: Judged): readonly Judged[] {
  const had = provided(chosen)
  const brings = provided([next])
  if (isSubset(had, brings)) return [next]
  if (brings.size > 0 && isSubset(brings, had)) return chosen
  const shared = [...brings].some((name) => had.has(name))
  if (shared && brings.size >= had.size) return [next]
  return continued(chosen, next, had, brings)
}

/** Joins a part that builds on the program; of two that have nothing to do with each other the longer one stays. */
function continued(
  chosen: readonly Judged[],
  next: Judged,
  had: ReadonlySet<string>,
  own: ReadonlySet<string>,
): readonly Judged[] {
  const builds = [...had].some((name) => !own.has(name) && next.outline?.mentions.has(name))
  const isBuiltOn = [...own].some(
    (name) => !had.has(name) && chosen.some((one) => one.outline?.mentions.has(name)),
  )
  if (builds || isBuiltOn) return [...chosen, next]
  const length = chosen.reduce((sum, one) => sum + one.code.length, 0)
  return next.code.length > length ? [next] : chosen
}

/** Earlier blocks that define what `last` mentions and does not define itself. */
function needed(last: Judged, before: readonly Judged[]): readonly Judged[] {
  const own = provided([last])
  return before.filter((one) => {
    const names = provided([one])
    const isEarlierVersion = [...(one.outline?.defines ?? [])].some((name) => own.has(name))
    return !isEarlierVersion && [...names].some((name) => !own.has(name) && last.outline?.mentions.has(name))
  })
}

/** Names of a program: what it defines, or what it assigns when it defines nothing. */
function provided(parts: readonly Judged[]): ReadonlySet<string> {
  const outlines = parts.flatMap(({ outline }) => (outline === undefined ? [] : [outline]))
  const defined = new Set(outlines.flatMap((outline) => [...outline.defines]))
  return defined.size > 0 ? defined : new Set(outlines.flatMap((outline) => [...outline.assigns]))
}

/** Also true for code that does not parse and shows a definition: broken, it is still the program. */
export function defines({ outline, code }: Judged): boolean {
  return outline === undefined ? /^(?:async def|def|class) \w/m.test(code) : outline.defines.size > 0
}

function isTest({ outline }: Judged): boolean {
  const names = [...(outline?.defines ?? [])]
  return (
    names.length > 0 &&
    names.every((name) => /^(?:test|Test)/.test(name) || /(?:Test|Tests|TestCase)$/.test(name))
  )
}

function isSubset(small: ReadonlySet<string>, large: ReadonlySet<string>): boolean {
  return [...small].every((name) => large.has(name))
}

function mentionsDefinition({ code, outline }: Judged, name: string): boolean {
  return (
    outline === undefined && new RegExp(`\\b(?:def|class|function)\\s+${escapeRegExp(name)}\\b`).test(code)
  )
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
