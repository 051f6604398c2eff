// From a tier to an engine that is ready for programs.
import { MendloopError } from '@mendloop/core'
import type { Engine } from './engine.js'
import { coverInheritedDescriptors } from './inherited-descriptors.js'
import { interpreterFolders } from './interpreter.js'
import { processGuarantees } from './limits.js'
import type { IsolationTier } from './options.js'
import { createPrivateFolder } from './private-folder.js'
import { ProcessEngine } from './process-engine.js'
import { inWords } from './system-error.js'
import { type EngineRequest, openRunnerEngine } from './tiers/open-engine.js'
import { toolchains } from './tiers/readable-paths.js'
import { openSeatbeltEngine } from './tiers/seatbelt.js'

/** An engine, and where its interpreters are. */
export interface OpenedEngine {
  readonly engine: Engine
  /** Folders for PATH. */
  readonly folders: readonly string[]
}

/** @throws MendloopError SANDBOX_UNAVAILABLE */
export async function openEngine(
  tier: IsolationTier,
  request: Omit<EngineRequest, 'tier'> & { readonly id: string },
): Promise<OpenedEngine> {
  const { id, python } = request
  try {
    if (tier === 'landlock' || tier === 'namespaces') {
      const engine = await openRunnerEngine({ ...request, tier })
      return { engine, folders: engine.bins }
    }
    const folders = [...(await interpreterFolders(python)), ...toolchains().map(({ bin }) => bin)]
    if (tier === 'seatbelt') return { engine: await openSeatbeltEngine(request), folders }
    const options = {
      python,
      guarantees: processGuarantees,
      covered: coverInheritedDescriptors(),
      wrapper: [],
    }
    return { engine: new ProcessEngine(id, createPrivateFolder(), options), folders }
  } catch (error) {
    throw MendloopError.is(error) ? error : unavailable(tier, error)
  }
}

function unavailable(tier: IsolationTier, cause: unknown): MendloopError<'SANDBOX_UNAVAILABLE'> {
  const reason = inWords(cause)
  return new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `subprocess(): a sandbox of the "${tier}" tier could not be opened (${reason}). Set TMPDIR to a folder that this user can write to, and see that there is memory and room for more processes.`,
    { details: { sandbox: 'subprocess', reason }, cause },
  )
}
