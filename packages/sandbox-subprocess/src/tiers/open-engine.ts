// Opens the engine of one sandbox in a tier that is built of walls and a runner.
import type { Guarantees } from '@mendloop/core'
import { freshGroupName } from '../cgroups/hierarchy.js'
import { CgroupSlots } from '../cgroups/slots.js'
import { RunnerEngine } from '../runner-engine.js'
import { type Identity, returnIdentity, takeIdentity } from './identity.js'
import { findInstallations, type PythonChoice } from './installations.js'
import { buildLandlockWall } from './landlock-wall.js'
import { buildNamespacesWall } from './namespaces-wall.js'
import type { Wall, WallPlan } from './wall.js'

/** What is asked of it. */
export interface EngineRequest extends Omit<WallPlan, 'installations'>, PythonChoice {
  readonly tier: 'landlock' | 'namespaces'
  /** What the self-test found; undefined for the self-test's own. */
  readonly tested?: Guarantees
}

/**
 * Opens it, with its runner ready.
 *
 * @throws MendloopError SANDBOX_UNAVAILABLE, or Error with the complaint of what failed
 */
export async function openRunnerEngine(request: EngineRequest): Promise<RunnerEngine> {
  const identity = takeIdentity()
  const wall = await buildWall(request, identity).catch((error: unknown) => {
    returnIdentity(identity)
    throw error
  })
  const { tested } = request
  const { network, disk, memory, pids } = wall.guarantees
  // The self-test ran without a network and with control groups of its own; what can be bounded is known of each alone.
  const known = tested && {
    ...tested,
    ...{ disk, memory, pids: tested.pids === 'none' ? tested.pids : pids },
    ...(network === 'host' && { network }),
  }
  const slots = CgroupSlots.open(freshGroupName())
  const engine = new RunnerEngine(wall, known ?? wall.guarantees, slots)
  try {
    await engine.runner()
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function buildWall(request: EngineRequest, identity: Identity | undefined): Promise<Wall> {
  const installations = await findInstallations(request, identity !== undefined)
  const plan = { ...request, installations }
  return request.tier === 'landlock' ? buildLandlockWall(plan, identity) : buildNamespacesWall(plan, identity)
}
