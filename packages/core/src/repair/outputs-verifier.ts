// The check that a program wrote the files that its task asks for.
import type { Verifier } from '../contract/verify.js'
import { newFailure } from '../verify/new-failure.js'

/** @param written - gives what was found after the run, once it is over */
export function outputsVerifier(
  asked: readonly string[],
  written: () => Readonly<Record<string, Uint8Array>>,
): Verifier {
  return {
    name: 'outputs',
    visibility: 'visible',
    async verify(context) {
      await context.run()
      const found = written()
      const failures = asked
        .filter((path) => found[path] === undefined)
        .map((path) => newFailure({ kind: 'output', message: `The program did not write the file ${path}.` }))
      return { status: failures.length === 0 ? 'pass' : 'fail', integrity: 'shared', failures }
    },
  }
}
