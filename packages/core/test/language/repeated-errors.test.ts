// What a compiler says time and again is told once, so that there is room for the rest.
import { expect, test } from 'vitest'
import { diagnose } from '../../src/language/diagnose.js'
import { execution } from './run-python.js'

const candidate = {
  files: { 'solution.c': '#include "solution.c"\nint main(void) { return x; }\n' },
  entry: 'solution.c',
}
const compiled = (stderr: string) => ({
  ...execution({ kind: 'exit', code: 1 }, { stderr }),
  step: 'compile' as const,
})

test('an error in a file that is read many times is told once, and the one after it as well', () => {
  const repeated = Array.from(
    { length: 40 },
    (_, index) =>
      `solution.c:2:5: error: redefinition of 'main'\nsolution.c:2:5: note: definition ${index} was here\n`,
  )
  const stderr = `${repeated.join('')}solution.c:2:25: error: 'x' undeclared\n`
  const failures = diagnose(compiled(stderr), { language: 'c', candidate })
  expect(failures.map(({ message, location }) => [message.split('\n')[0], location?.column])).toEqual([
    ["redefinition of 'main'", 5],
    ["'x' undeclared", 25],
  ])
})

test('the same error in two places is told twice, and of very many the first ten', () => {
  const stderr = Array.from({ length: 40 }, (_, index) => `solution.c:2:${index + 1}: error: no\n`).join('')
  const failures = diagnose(compiled(stderr), { language: 'c', candidate })
  expect(failures.map(({ location }) => location?.column)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})
