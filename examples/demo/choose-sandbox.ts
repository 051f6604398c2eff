// Where the programs run: as isolated as this machine allows, found out before any model is asked.
import { type Guarantees, MendloopError, type Sandbox, type SandboxProvider } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { DemoError } from './demo-error.js'
import { ANSWER_DEADLINE_MS, checkHostPython, VERSION_QUESTION, versionIn } from './host-python.js'

/** A sandbox that was tried and works. */
export interface SandboxChoice {
  readonly provider: SandboxProvider
  readonly guarantees: Guarantees
  /** Version of the Python in it. */
  readonly python: string
  /** True when this machine offers no isolation. */
  readonly fallenBack: boolean
}

/**
 * Opens a sandbox once and starts Python in it.
 *
 * @throws DemoError when there is no usable Python; MendloopError ABORTED
 */
export async function chooseSandbox(signal: AbortSignal): Promise<SandboxChoice> {
  await checkHostPython(signal)
  // The strongest tier that works here; without any, the demo still runs, and says so.
  const choice = await tryOut(subprocess({ minimum: 'process' }), signal)
  return { ...choice, fallenBack: choice.guarantees.isolation === 'process' }
}

async function tryOut(
  provider: SandboxProvider,
  signal: AbortSignal,
): Promise<Omit<SandboxChoice, 'fallenBack'>> {
  let sandbox: Sandbox | undefined
  try {
    sandbox = await provider.create({ signal })
    const limits = { wallMs: ANSWER_DEADLINE_MS }
    const { ok, outcome, stdout, stderr } = await sandbox.exec(['python3', ...VERSION_QUESTION], {
      limits,
      signal,
    })
    signal.throwIfAborted()
    const python = versionIn({
      ok,
      timedOut: outcome.kind === 'timeout',
      stdout: stdout.text,
      stderr: stderr.text,
    })
    return { provider, guarantees: sandbox.guarantees, python }
  } catch (error) {
    signal.throwIfAborted()
    if (MendloopError.is(error, 'SANDBOX_UNAVAILABLE'))
      throw new DemoError(error.message, 1, { cause: error })
    throw error
  } finally {
    await sandbox?.close()
  }
}
