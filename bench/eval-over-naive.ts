// eval.humaneval.overNaive: named here so that it is not forgotten; measured by what comes with the evaluation harness.
import type { Benchmark } from './figure.js'

/** All HumanEval references, judged in isolation, over bare interpreters without any. */
export const evalOverNaive: Benchmark = {
  name: 'eval.humaneval.overNaive',
  unit: 'ratio',
  target: 0.5,
  fail: 0.8,
  measure: async () => ({ skipped: 'it comes with the evaluation harness, which is not there yet' }),
}
