// Small pieces that the demo's own checks share: reading what a program wrote, and saying what is wrong with it.
import { createHash } from 'node:crypto'
import {
  type Failure,
  type FailureKind,
  MendloopError,
  type Verdict,
  type VerifyContext,
} from '@mendloop/core'

/** One failure; the fingerprint masks numbers, so that the same mistake keeps its name from attempt to attempt. */
export function failure(
  kind: FailureKind,
  message: string,
  values: Pick<Failure, 'expected' | 'actual'> = {},
): Failure {
  const masked = message.replace(/\d+(?:[.,]\d+)*/g, '#')
  return {
    kind,
    message,
    ...values,
    fingerprint: createHash('sha256').update(masked).digest('hex').slice(0, 16),
  }
}

/** The verdict that follows from a list of failures. */
export const verdictOf = (failures: readonly Failure[]): Verdict => ({
  status: failures.length === 0 ? 'pass' : 'fail',
  integrity: 'separate',
  failures,
})

/** What the program wrote to `path` as bytes, or the failure that says why it cannot be read. */
export async function readOutput(
  context: VerifyContext,
  path: string,
): Promise<{ bytes: Uint8Array } | { missing: Failure }> {
  await context.run()
  try {
    return { bytes: await context.sandbox.files.read(path) }
  } catch (error) {
    if (MendloopError.is(error, 'FILE_UNAVAILABLE') || MendloopError.is(error, 'PATH_REFUSED'))
      return { missing: failure('output', `The program did not write the file ${path}.`) }
    throw error
  }
}

/** What the program wrote to `path`, as JSON. */
export async function readJsonOutput(
  context: VerifyContext,
  path: string,
): Promise<{ json: unknown } | { missing: Failure }> {
  const output = await readOutput(context, path)
  if ('missing' in output) return output
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(output.bytes))
    return { json }
  } catch {
    return { missing: failure('output', `The file ${path} is not JSON in UTF-8.`) }
  }
}
