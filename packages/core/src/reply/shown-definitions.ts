// Definitions by the look of their lines.

const DEFINITION = /^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|class|function\s*\*?)\s+(\w+)/gm

/** What a text defines at top level, also when it is broken. */
export const shownDefinitions = (code: string): string[] =>
  [...code.matchAll(DEFINITION)].map((match) => match[1] ?? '')
