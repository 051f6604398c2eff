// Sessions in real sandboxes, closed after the test.
import type { Sandbox } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { onTestFinished } from 'vitest'
import { openSession } from '../../src/guest/session/open-session.js'
import type { CellResult, Session } from '../../src/guest/session/session.js'
import type { OpenSessionOptions } from '../../src/guest/session/session-options.js'

/** Opens a sandbox of the process tier and closes it after the test. */
export async function processSandbox(): Promise<Sandbox> {
  const sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create()
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** Opens a session in a sandbox of its own. */
export async function sessionOf(
  language: OpenSessionOptions['language'],
  options: Omit<OpenSessionOptions, 'language'> = {},
): Promise<{ session: Session; sandbox: Sandbox }> {
  const sandbox = await processSandbox()
  const session = await openSession(sandbox, { language, ...options })
  onTestFinished(() => session.close())
  return { session, sandbox }
}

/** Runs cells one after the other and gives the last result. */
export async function lastOf(session: Session, ...cells: readonly string[]): Promise<CellResult> {
  let last: CellResult | undefined
  for (const cell of cells) last = await session.run(cell)
  if (last === undefined) throw new Error('no cell was given')
  return last
}
