// Where the programs run: as isolated as this machine allows, found out before any model is asked.
import { type Guarantees, MendloopError, type Sandbox, type SandboxProvider } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { DemoError } from './demo-error.js'

/** A sandbox that was tried and works. */
export interface SandboxChoice {
  readonly provider: SandboxProvider
  readonly guarantees: Guarantees
  /** Version of the Python in it. */
  readonly python: string
  /** True when this machine, or this version, offers no isolation. */
  readonly fallenBack: boolean
}

const PROBE = 'import sys; print(*sys.version_info[:3], sep="."); import sqlite3, zipfile'
const NO_PYTHON = 'Install Python 3.8 or later, so that "python3" on PATH starts it.'

/**
 * Opens a sandbox once and starts Python in it.
 *
 * @throws DemoError when there is no usable Python; MendloopError ABORTED
 */
export async function chooseSandbox(signal: AbortSignal): Promise<SandboxChoice> {
  try {
    return { ...(await tryOut(subprocess(), signal)), fallenBack: false }
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    return { ...(await tryOut(subprocess({ minimum: 'process' }), signal)), fallenBack: true }
  }
}

async function tryOut(
  provider: SandboxProvider,
  signal: AbortSignal,
): Promise<Omit<SandboxChoice, 'fallenBack'>> {
  let sandbox: Sandbox | undefined
  try {
    sandbox = await provider.create({ signal })
    const result = await sandbox.exec(['python3', '-I', '-c', PROBE], { limits: { wallMs: 30_000 }, signal })
    signal.throwIfAborted()
    const python = result.stdout.text.trim()
    if (result.ok) {
      const [major = 0, minor = 0] = python.split('.').map(Number)
      if (major < 3 || (major === 3 && minor < 8))
        throw new DemoError(`python3 is Python ${python}. ${NO_PYTHON}`)
      return { provider, guarantees: sandbox.guarantees, python }
    }
    const why = result.stderr.text.trim().split('\n').at(-1) ?? ''
    throw new DemoError(
      `The program python3 did not work here${why === '' ? '' : `: ${why.slice(0, 200)}`}. ${NO_PYTHON}`,
    )
  } catch (error) {
    signal.throwIfAborted()
    if (MendloopError.is(error, 'SANDBOX_UNAVAILABLE'))
      throw new DemoError(error.message, 1, { cause: error })
    throw error
  } finally {
    await sandbox?.close()
  }
}
