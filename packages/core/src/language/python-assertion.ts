// What an assertion compared, as far as its message or its source line shows it.

/** The two sides of a comparison that did not hold. */
export interface Compared {
  readonly input?: string
  readonly expected?: string
  readonly actual?: string
}

const UNITTEST = /^(?:.*? differ: )?(.+?) != (.+?)(?: : .*)?$/u
const PYTEST = /^assert (.+) == (.+)$/u
const EXPECTED_FIRST =
  /\b(?:expected|wanted|want|should be):?\s*=?\s*(.+?)[,;]?\s+(?:but\s+)?(?:got|was|received|actual|actually|found|is):?\s*=?\s*(.+)$/iu
const ACTUAL_FIRST =
  /\b(?:got|received|actual|found|was):?\s*=?\s*(.+?)[,;]?\s+(?:but\s+)?(?:expected|wanted|want):?\s*=?\s*(.+)$/iu

/**
 * @param message - the exception line, `AssertionError` with or without more
 * @param source - the line that failed, trimmed, where known
 */
export function readAssertion(message: string, source: string | undefined): Compared {
  return { ...fromSource(source), ...fromMessage(message, source) }
}

function fromMessage(message: string, source: string | undefined): Compared {
  const said = (message.split('\n')[0] ?? '').replace(/^[\w.]*AssertionError(?:: )?/u, '')
  const unittest = source !== undefined && /\bassert\w*Equals?\(/u.test(source) ? UNITTEST.exec(said) : null
  const pytest = PYTEST.exec(said)
  const expectedFirst = EXPECTED_FIRST.exec(said)
  const actualFirst = ACTUAL_FIRST.exec(said)
  // unittest and pytest both put what came on the left, by custom.
  if (unittest !== null) return pair(unittest[2], unittest[1])
  if (pytest !== null) return pair(pytest[2], pytest[1])
  if (expectedFirst !== null) return pair(expectedFirst[1], expectedFirst[2])
  return actualFirst === null ? {} : pair(actualFirst[2], actualFirst[1])
}

const pair = (expected = '', actual = ''): Compared => ({ expected: expected.trim(), actual: actual.trim() })

/** `assert call(…) == value` says what was called and what should have come. */
function fromSource(source: string | undefined): Compared {
  const assertion = /^assert\b\s*(.+)$/u.exec(source ?? '')?.[1]
  if (assertion === undefined) return {}
  const tested = splitOutside(assertion, ',')
  const condition = tested?.[0] ?? assertion
  const sides = splitOutside(condition, '==')
  return sides === undefined
    ? { input: condition.trim() }
    : { input: sides[0].trim(), expected: sides[1].trim() }
}

/** Splits at the first `separator` that stands outside of brackets and strings. */
function splitOutside(text: string, separator: string): [string, string] | undefined {
  let depth = 0
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (quote !== '') {
      if (character === '\\') index += 1
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    else if (character === '#') return undefined
    else if (depth === 0 && text.startsWith(separator, index))
      return [text.slice(0, index), text.slice(index + separator.length)]
  }
  return undefined
}
