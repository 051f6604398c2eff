// The check that a program wrote the files that its task asks for.
import type { Verifier } from '../contract/verify.js'
import { newFailure } from '../verify/new-failure.js'

/** @param written - what was found after the run, filled in by then */
export function outputsVerifier(
  asked: readonly string[],
  written: Readonly<Record<string, Uint8Array>>,
): Verifier {
  return {
    name: 'outputs',
    visibility: 'visible',
    async verify(context) {
      await context.run()
      const failures = asked
        .filter((path) => written[path] === undefined)
        .map((path) => newFailure({ kind: 'output', message: `The program did not write the file ${path}.` }))
      return { status: failures.length === 0 ? 'pass' : 'fail', integrity: 'shared', failures }
    },
  }
}
