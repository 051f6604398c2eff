// Runs a check that is a Python program of ours: a process of its own, isolated from the candidate's files.
import { type Failure, MendloopError, type VerifyContext } from '@mendloop/core'
import { failure } from './verdicts.js'

/**
 * Runs `source` on `args` in the sandbox and reads one JSON value from its output.
 *
 * The program goes in on standard input and runs with `-I`, so nothing that the candidate left behind is imported.
 *
 * @param files - written before it runs
 */
export async function pythonCheck(
  context: VerifyContext,
  source: string,
  args: readonly string[],
  files: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ json: unknown } | { failed: Failure }> {
  try {
    await context.sandbox.files.write(files)
  } catch (error) {
    if (!MendloopError.is(error, 'PATH_REFUSED')) throw error
    return { failed: failure('custom', `The program left something at ${Object.keys(files).join(', ')}.`) }
  }
  const result = await context.exec(
    { argv: ['python3', '-I', '-', ...args], stdin: source },
    { limits: { wallMs: 30_000 } },
  )
  const lastLine = result.stderr.text.trim().split('\n').at(-1) ?? ''
  if (!result.ok)
    return { failed: failure('output', lastLine || `The check ended with ${result.outcome.kind}.`) }
  try {
    const json: unknown = JSON.parse(result.stdout.text)
    return { json }
  } catch {
    return { failed: failure('output', 'What the program wrote is too much to be checked.') }
  }
}
