// What was read out of an output, in a few lines, so that a golden can hold all of it.
import type { TestOutput } from '../../../src/language/test-output/test-output.js'
import { summaryOf } from '../../helpers/failure-summary.js'

/** The runner, the tests with their status, then each failure with its test. */
export function outputSummary(output: TestOutput | undefined): string {
  if (output === undefined) return 'not recognised'
  const { runner, tests, failures, complete } = output
  return [
    `${runner}${complete ? '' : ' (cut)'}`,
    ...tests.map(({ name, file, status }) => `${status} ${file === undefined ? '' : `${file} | `}${name}`),
    ...failures.map((failure) => `[${failure.test ?? '-'}] ${summaryOf(failure)}`),
  ].join('\n')
}
