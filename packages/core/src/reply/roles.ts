// Which of several blocks in the asked language is the program, when no path label says so.
import type { Judged } from './judge.js'
import { isOldCode } from './old-code.js'
import { findOmission } from './omission.js'
import { isTest } from './test-code.js'

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
 * 1. code that the reply shows as the old one, and tests, are set aside when another block can be the program;
 * 2. blocks that define something go before those that only call, print or assert (usage, output); of these, blocks that
 *    parse before those that do not, and whole ones before those with a comment for left-out code;
 * 3. with an entry point, the last block that defines it;
 * 4. else from first to last: a block that defines all that the program so far does is a complete rewrite and replaces
 *    it; one that uses the program's names for more definitions is its continuation and joins it; any other is an
 *    alternative or an excerpt, and the longer one stays;
 * 5. earlier blocks that bring a name the program needs and has not, such as an import, go before it.
 */
export function chooseProgram(all: readonly Judged[], entryPoint: string | undefined): Choice {
  const pool = withoutAside(all, (one) => isOldCode(one)).slice(-BLOCKS_AT_MOST)
  const untested = withoutAside(pool, (one) => isTest(one, pool))
  const defining = preferring(untested, defines)
  const whole = preferring(defining, (one) => one.parses !== false)
  const complete = preferring(whole, (one) => findOmission(one.code, one.is) === undefined)
  const warnings = complete.length < whole.length ? ['omission-placeholder-skipped'] : []
  const last =
    entryPoint === undefined
      ? undefined
      : complete.findLast(
          (one) => one.outline?.defines.has(entryPoint) ?? mentionsDefinition(one, entryPoint),
        )
  let chosen: readonly Judged[] = last === undefined ? [] : [last]
  if (last === undefined)
    for (const next of complete) chosen = chosen.length === 0 ? [next] : follow(chosen, next)
  return finish(withNeeded(chosen, pool), warnings)
}

/** What is set aside by `test` is gone when another block can be the program: it defines something or acts for itself. */
export function withoutAside(pool: readonly Judged[], test: (one: Judged) => boolean): readonly Judged[] {
  const aside = new Set(pool.filter(test))
  if (aside.size === 0) return pool
  const rest = pool.filter((one) => !aside.has(one))
  const names = new Set([...aside].flatMap(({ outline }) => [...(outline?.defines ?? [])]))
  const isProgram = (one: Judged): boolean =>
    defines(one) ||
    (one.outline?.acts === true &&
      !/^\s*(?:return|yield)\b/.test(one.code) &&
      ![...names].some((name) => one.outline?.needs.has(name)))
  return rest.some(isProgram) ? rest : pool
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

/** The program with the earlier blocks without which it would miss a name. */
function withNeeded(chosen: readonly Judged[], pool: readonly Judged[]): readonly Judged[] {
  const first = chosen[0]
  let program = chosen
  for (const one of pool.slice(0, first === undefined ? 0 : pool.indexOf(first)).reverse()) {
    const has = topLevel(program)
    const own = topLevel([one])
    const isNeeded = [...own].some(
      (name) => !has.has(name) && program.some(({ outline }) => outline?.needs.has(name)),
    )
    const defined = new Set(program.flatMap(({ outline }) => [...(outline?.defines ?? [])]))
    // An earlier version, or an example of use.
    const isOther = [...defined].some(
      (name) => one.outline?.defines.has(name) || one.outline?.needs.has(name),
    )
    if (isNeeded && !isOther && one.parses !== false) program = [one, ...program]
  }
  return program
}

/** Every name that stands at top level once these have run. */
function topLevel(parts: readonly Judged[]): ReadonlySet<string> {
  return new Set(
    parts.flatMap(({ outline }) =>
      outline === undefined ? [] : [...outline.defines, ...outline.assigns, ...outline.brings],
    ),
  )
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

function isSubset(small: ReadonlySet<string>, large: ReadonlySet<string>): boolean {
  return [...small].every((name) => large.has(name))
}

function mentionsDefinition({ code, outline }: Judged, name: string): boolean {
  return (
    outline === undefined && new RegExp(`\\b(?:def|class|function)\\s+${escapeRegExp(name)}\\b`).test(code)
  )
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
