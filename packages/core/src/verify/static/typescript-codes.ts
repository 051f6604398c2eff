// Which of TypeScript's errors say that a program is wrong, and which only that not all of its world is known here.
import type { FoundBy } from './finding.js'
import { mayExist } from './script-names.js'

/**
 * Errors of modules and types that are not installed where the check runs, and of settings; they say nothing of the program.
 * Numbers as in TypeScript's diagnosticMessages.json.
 */
const UNKNOWN_WORLD: ReadonlySet<number> = new Set([
  // No such module, no types for one, and the advice to install @types/….
  ...[2306, 2307, 2792, 2732, 6137, 7016, 2688, 2875, 7026, 2882],
  ...[2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868],
  // Top-level await, import.meta, extensions, default imports: matters of settings.
  ...[1259, 1343, 1375, 1378, 1470, 2691, 5097, 2835, 2834],
])

/** A name or a use that fails when it is reached, in JavaScript too: undefined names, constants that are assigned. */
const NAMES: ReadonlySet<number> = new Set([2304, 2552, 18004, 2588, 2448, 2449, 2630, 2632])

/** Undefined names, which may have come about by other ways than a declaration. */
const UNDEFINED: ReadonlySet<number> = new Set([2304, 2552, 18004])

/** What an engine refuses to compile, though the text parses: `await` and `break` in the wrong place, a name declared twice. */
const EARLY_ERRORS: ReadonlySet<number> = new Set([1103, 1104, 1105, 1308, 2451])

/** What `strict` finds besides: told, since programs that were written without it are full of it. */
const isStrictness = (code: number): boolean =>
  (code >= 7000 && code < 8000) || (code >= 18046 && code <= 18050) || (code >= 2531 && code <= 2533)

/** JavaScript's own files: what holds of their types is a guess, so only names and syntax count. */
const JAVASCRIPT = /\.[cm]?jsx?$/u
/** Errors of syntax have these numbers; below 1000 are none. */
const isSyntaxCode = (code: number): boolean => code >= 1000 && code < 2000
/** Said in JavaScript files of what is allowed only in TypeScript ones. */
const isTypeScriptOnly = (code: number): boolean => code >= 8000 && code < 9000

/** How the error was found. */
export interface CodeContext {
  /** True for what the parser said, as opposed to what the checker says of a text that parses. */
  readonly byParser: boolean
  /** Whether types are asked for. */
  readonly types: boolean
  /** The file's text. */
  readonly text: string
}

/** The finding that one error stands for; none for an error that says nothing of the program. */
export function toFinding(
  found: Pick<FoundBy, 'tool' | 'message' | 'path' | 'line' | 'column'>,
  code: number,
  { byParser, types, text }: CodeContext,
): FoundBy[] {
  if (UNKNOWN_WORLD.has(code)) return []
  const one = { ...found, rule: `TS${code}`, severity: 'error' } as const
  if (byParser || isTypeScriptOnly(code) || EARLY_ERRORS.has(code)) return [{ ...one, kind: 'syntax' }]
  if (NAMES.has(code)) return [{ ...one, kind: 'lint', severity: severityOf(found, code, text) }]
  if (!types || JAVASCRIPT.test(found.path)) return []
  if (isStrictness(code)) return [{ ...one, kind: 'type', severity: 'warning' }]
  // What the checker says of grammar, such as a `return` outside of a function, stops the program as well.
  return [{ ...one, kind: isSyntaxCode(code) ? 'syntax' : 'type' }]
}

function severityOf(
  { message, path }: Pick<FoundBy, 'message' | 'path'>,
  code: number,
  text: string,
): FoundBy['severity'] {
  const name = UNDEFINED.has(code) ? /'([^']+)'/u.exec(message)?.[1] : undefined
  return name !== undefined && mayExist(name, path, text) ? 'warning' : 'error'
}
