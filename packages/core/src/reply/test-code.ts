// Whether a block is tests of the program rather than the program.
import type { Judged } from './judge.js'

const TEST_NAME = /^(?:test(?:_|[A-Z]|$)|Test(?:_|[A-Z]|$))|(?:Test|Tests|TestCase)$/
const TEST_CLASS = /^class[ \t]+(\w+)[ \t]*\([^\n]*TestCase\b[^\n]*\)[ \t]*:/gm
const FIXTURE = /^@(?:pytest\.)?fixture\b[^\n]*\n(?:@[^\n]*\n)*(?:async[ \t]+)?def[ \t]+(\w+)/gm
/** A file of tests may bring these along. */
const HELPERS = /^(?:setUp|tearDown|setup|teardown|suite|main|run_tests)/

/** True for a name that test frameworks look for. */
export const isTestName = (name: string): boolean => TEST_NAME.test(name)

/** True when it defines tests and nothing else, or mostly tests of what `others` define. */
export function isTest(one: Judged, others: readonly Judged[]): boolean {
  const { outline, code } = one
  const names = [...(outline?.defines ?? [])]
  const special = new Set([...code.matchAll(TEST_CLASS), ...code.matchAll(FIXTURE)].map((match) => match[1]))
  const tests = names.filter((name) => TEST_NAME.test(name) || special.has(name))
  if (tests.length === 0) return false
  if (names.every((name) => tests.includes(name) || HELPERS.test(name))) return true
  const isOfOthers = others.some(
    (other) => other !== one && [...(other.outline?.defines ?? [])].some((name) => isUsed(one, name)),
  )
  const framework = outline?.imports.has('pytest') === true || outline?.imports.has('unittest') === true
  return (isOfOthers || framework) && tests.length * 2 >= names.length
}

/** Used without being defined, or imported from the program. */
function isUsed({ outline }: Judged, name: string): boolean {
  return outline !== undefined && !outline.defines.has(name) && outline.mentions.has(name)
}
