// The provider: checks what is asked, prepares the machine once, opens sandboxes.
import { randomBytes } from 'node:crypto'
import { MendloopError, type Sandbox, type SandboxOptions, type SandboxProvider } from '@mendloop/core'
import { parseEnvironment, parseOptions, sandboxOptionsSchema } from '@mendloop/core/adapter'
import { cleanEnvironment } from './environment.js'
import { ensureGuardian } from './guardian.js'
import { coverInheritedDescriptors } from './inherited-descriptors.js'
import { interpreterFolders, requireInterpreter } from './interpreter.js'
import { mergeLimits, requireEnforceable, requireOpenNetwork } from './limits.js'
import { parseSubprocessOptions, requireProcessTier, type SubprocessOptions } from './options.js'
import { createPrivateFolder, type PrivateFolder } from './private-folder.js'
import { SubprocessSandbox } from './subprocess-sandbox.js'

const ID = 'subprocess'

/**
 * Runs programs as child processes of this machine.
 *
 * This version has the `process` tier only: resource limits, a clean environment, a private folder and a thorough kill,
 * which stop accidents, not adversaries. It is opened by name: `subprocess({ minimum: 'process' })`.
 *
 * @throws MendloopError INVALID_OPTION for an option it does not know; what this machine cannot do is told by `create()`
 */
export function subprocess(options: SubprocessOptions = {}): SandboxProvider {
  const parsed = parseSubprocessOptions(options)
  const env = parseEnvironment(parsed.env ?? {}, 'subprocess()')
  return {
    id: ID,
    specVersion: 'sandbox-v1',
    create: (sandboxOptions = {}) => create({ ...parsed, env }, sandboxOptions),
  }
}

async function create(provider: SubprocessOptions, options: SandboxOptions): Promise<Sandbox> {
  const own = parseOptions(sandboxOptionsSchema, options, 'create()')
  const env = { ...provider.env, ...parseEnvironment(own.env ?? {}, 'create()') }
  requireProcessTier(provider)
  requireOpenNetwork(own.network ?? provider.network)
  requireEnforceable({ ...provider.limits, ...own.limits })
  ensureNotAborted(own.signal)
  if (provider.python !== undefined) requireInterpreter(provider.python)
  const folders = await interpreterFolders(provider.python)
  ensureNotAborted(own.signal)
  ensureGuardian()
  const folder = openFolder()
  return new SubprocessSandbox({
    id: `${ID}-${randomBytes(6).toString('hex')}`,
    folder,
    env: { ...cleanEnvironment({ ...folder, folders }), ...env },
    limits: mergeLimits(provider.limits, own.limits),
    killGraceMs: provider.killGraceMs ?? 0,
    python: provider.python,
    hasOwnPath: env['PATH'] !== undefined,
    covered: coverInheritedDescriptors(),
    signal: own.signal,
  })
}

function openFolder(): PrivateFolder {
  try {
    return createPrivateFolder()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MendloopError(
      'SANDBOX_UNAVAILABLE',
      `subprocess(): no private folder could be made (${reason}). Set TMPDIR to a folder that this user can write to.`,
      { details: { sandbox: ID, reason }, cause },
    )
  }
}

function ensureNotAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw new MendloopError('ABORTED', 'The signal was aborted before the sandbox was open.', {
    details: { during: 'sandbox' },
    cause: signal.reason,
  })
}
