// The provider: checks what is asked, prepares the machine once, opens sandboxes.
import { randomBytes } from 'node:crypto'
import { MendloopError, type Sandbox, type SandboxOptions, type SandboxProvider } from '@mendloop/core'
import { parseEnvironment, parseOptions, sandboxOptionsSchema } from '@mendloop/core/adapter'
import { cleanEnvironment } from './environment.js'
import { ensureGuardian } from './guardian.js'
import { requireInterpreter } from './interpreter.js'
import { mergeLimits, requireEnforceable, requireKeepable, requireStartable } from './limits.js'
import { openEngine } from './open-engine.js'
import {
  type CheckedSubprocessOptions,
  defaultMinimum,
  parseSubprocessOptions,
  type SubprocessOptions,
} from './options.js'
import { requireTemporaryFolder } from './private-folder.js'
import { SubprocessSandbox } from './subprocess-sandbox.js'
import { chooseTier } from './tiers/choose-tier.js'
import { testTier } from './tiers/tier-test.js'

const ID = 'subprocess'

/**
 * Runs programs on this machine, as isolated as it allows: behind namespaces (bubblewrap), else behind Landlock, each
 * tried before it is believed. A plain child process, which stops accidents and not adversaries, has to be asked for by
 * name: `subprocess({ minimum: 'process' })`.
 *
 * @throws MendloopError INVALID_OPTION for an option it does not know; what this machine cannot do is told by `create()`
 */
export function subprocess(options: SubprocessOptions = {}): SandboxProvider {
  const parsed = parseSubprocessOptions(options)
  return {
    id: ID,
    specVersion: 'sandbox-v1',
    create: (sandboxOptions = {}) => create(parsed, sandboxOptions),
  }
}

async function create(provider: CheckedSubprocessOptions, options: SandboxOptions): Promise<Sandbox> {
  const own = parseOptions(sandboxOptionsSchema, options, 'create()')
  const env = { ...provider.env, ...parseEnvironment(own.env ?? {}, 'create()') }
  const { python, isolation = 'auto', minimum = defaultMinimum(), killGraceMs = 0 } = provider
  const network = own.network ?? provider.network
  ensureNotAborted(own.signal)
  if (python !== undefined) requireInterpreter(python)
  requireTemporaryFolder()
  // Before anything is made that it would have to clear away, the self-test's own included.
  ensureGuardian()
  // A PATH for all programs chooses their Python, unless one is named.
  const choice = { python, path: python === undefined ? env['PATH'] : undefined }
  const { tier, tested } = await chooseTier({ isolation, minimum }, (one) => testTier(one, choice))
  requireKeepable(network, tier)
  ensureNotAborted(own.signal)
  const asked = { ...provider.limits, ...own.limits }
  requireStartable(asked, 'create()')
  const limits = mergeLimits(provider.limits, own.limits)
  const id = `${ID}-${randomBytes(6).toString('hex')}`
  const { engine, folders } = await openEngine(tier, {
    id,
    ...choice,
    sharesNetwork: network?.mode === 'all',
    diskBytes: limits.diskBytes,
    ...(tested && { tested }),
  })
  try {
    requireEnforceable(asked, engine.guarantees.isolation, engine.unenforced)
    ensureNotAborted(own.signal)
  } catch (error) {
    await engine.close()
    throw error
  }
  return new SubprocessSandbox({
    id,
    engine,
    env: { ...cleanEnvironment({ ...engine.folder.inside, folders, walled: tier !== 'process' }), ...env },
    limits,
    killGraceMs,
    hasOwnPath: env['PATH'] !== undefined,
    namesPython: python !== undefined,
    signal: own.signal,
  })
}

function ensureNotAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw new MendloopError('ABORTED', 'The signal was aborted before the sandbox was open.', {
    details: { during: 'sandbox' },
    cause: signal.reason,
  })
}
