// Programs that are right, in every way a program can be. All must pass.
import { describe, expect, test } from 'vitest'
import { pythonTests } from '../../src/verify/python-tests.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { programSections } from '../helpers/program-sections.js'
import { requires } from '../helpers/requires.js'

describe.runIf(requires('python3'))('A right program that', () => {
  test.concurrent.for(programSections('honest'))(
    '$name passes',
    { timeout: 60_000 },
    async ({ program, tests = '' }) => {
      const verdict = await verdictOn(pythonTests(tests, { limits: { wallMs: 30_000 } }), program)

      expect(verdict).toMatchObject({ status: 'pass', failures: [], integrity: 'separate', score: 1 })
    },
  )
})
