// What a session's language is called.
import { expect, test } from 'vitest'
import { parseOptions } from '../../../src/contract/options.js'
import { openSessionSchema } from '../../../src/guest/session/session-options.js'

const parse = (language: unknown) => parseOptions(openSessionSchema, { language }, 'openSession()').language

test.each([
  ['py', 'python'],
  ['Python 3.11', 'python'],
  ['js', 'javascript'],
  ['node', 'javascript'],
  ['javascript', 'javascript'],
])('a session takes the names that runSource takes: %s', (name, language) => {
  expect(parse(name)).toBe(language)
})

test.each(['rust', 'typescript', '', 'cobol'])('a language without sessions is refused: "%s"', (name) => {
  expect(() => parse(name)).toThrow(
    `openSession(): option "language": must be one of "python", "javascript" (received ${JSON.stringify(name)})`,
  )
})
