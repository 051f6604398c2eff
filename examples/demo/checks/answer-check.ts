// Queries the database that the program made, and works the answer out again from a copy that it never saw.
import { readFileSync } from 'node:fs'
import type { Verifier } from '@mendloop/core'
import { pythonCheck } from './python-check.js'
import { failure, readOutput, verdictOf } from './verdicts.js'

const SOURCE = readFileSync(new URL('answer_check.py', import.meta.url), 'utf8')
const FRESH_COPY = '.check/shop.sqlite'

interface Report {
  readonly failures: readonly { message: string; expected?: string; actual?: string }[]
}

/** Passes when `answer` holds exactly the customers whose spending fell between the two quarters. */
export function answerCheck(
  shop: Uint8Array,
  answer: string,
  [before, after]: readonly [string, string],
): Verifier {
  return {
    name: 'answer queried',
    visibility: 'visible',
    async verify(context) {
      const output = await readOutput(context, answer)
      if ('missing' in output) return verdictOf([output.missing])
      const report = await pythonCheck(context, SOURCE, [FRESH_COPY, answer, before, after], {
        [FRESH_COPY]: shop,
      })
      if ('failed' in report) return verdictOf([report.failed])
      const { failures } = report.json as Report
      return verdictOf(failures.map(({ message, ...values }) => failure('output', message, values)))
    },
  }
}
