// Which tier a sandbox gets: the strongest that was tried here and held, never less than the caller accepts.
import { type Guarantees, MendloopError } from '@mendloop/core'
import type { IsolationTier } from '../options.js'
import { requirementOf, type TierRequirement } from './requirements.js'

/** What a self-test came to. */
export type TierTest =
  | { readonly guarantees: Guarantees }
  | {
      /** What was found. */
      readonly unavailable: string
      /** Sentences that say it with what to do, where it is not the tier that is missing. */
      readonly remedy?: string
    }

/** What the caller asks for. */
export interface TierRequest {
  readonly isolation: 'auto' | IsolationTier
  readonly minimum: IsolationTier
}

/** A tier that will do. */
export interface ChosenTier {
  readonly tier: IsolationTier
  /** What the self-test found; undefined for the process tier, which promises nothing that would need one. */
  readonly tested: Guarantees | undefined
}

/** From weak to strong; Seatbelt and Landlock are of the same kind. */
const STRENGTH: Readonly<Record<IsolationTier, number>> = {
  process: 0,
  landlock: 1,
  seatbelt: 1,
  namespaces: 2,
}

/** Tiers that a system may offer, strongest first. */
const OFFERED: Readonly<Partial<Record<NodeJS.Platform, readonly IsolationTier[]>>> = {
  linux: ['namespaces', 'landlock', 'process'],
  darwin: ['seatbelt', 'process'],
}

interface Refusal extends TierRequirement {
  readonly tier: IsolationTier
  /** What was found. */
  readonly found: string
  /** It is not the tier that is missing. */
  readonly general?: boolean
}

/**
 * @param test - the self-test of one tier; its answer is cached by whom gives it
 * @throws MendloopError ISOLATION_UNAVAILABLE naming the property that does not hold and what to do about it
 */
export async function chooseTier(
  { isolation, minimum }: TierRequest,
  test: (tier: IsolationTier) => Promise<TierTest>,
): Promise<ChosenTier> {
  const offered = OFFERED[process.platform] ?? ['process']
  const acceptable = (tier: IsolationTier): boolean => STRENGTH[tier] >= STRENGTH[minimum]
  const candidates = isolation === 'auto' ? offered : offered.filter((tier) => tier === isolation)
  const refusals: Refusal[] = []
  for (const tier of candidates) {
    if (!acceptable(tier)) continue
    if (tier === 'process') return { tier, tested: undefined }
    const answer = await test(tier)
    const refusal = refusalOf(tier, answer)
    // By name it is had also with less than it promises, where that is accepted.
    if ('guarantees' in answer && (refusal === undefined || (isolation === tier && minimum === 'process')))
      return { tier, tested: answer.guarantees }
    if (refusal !== undefined) refusals.push(refusal)
  }
  throw unavailable({ isolation, minimum }, refusals, await strongest(offered, refusals, test))
}

/** The strongest tier that there is here, so that nobody is sent further down than need be. */
async function strongest(
  offered: readonly IsolationTier[],
  refusals: readonly Refusal[],
  test: (tier: IsolationTier) => Promise<TierTest>,
): Promise<IsolationTier> {
  for (const tier of offered) {
    if (tier === 'process' || refusals.some((one) => one.tier === tier)) continue
    if (refusalOf(tier, await test(tier)) === undefined) return tier
  }
  return 'process'
}

/** Why a tier is not to be had; undefined for one that holds what it promises. */
function refusalOf(tier: IsolationTier, answer: TierTest): Refusal | undefined {
  if ('guarantees' in answer) {
    const missing = brokenPromise(tier, answer.guarantees)
    return missing && { tier, ...missing }
  }
  const { unavailable: found, remedy } = answer
  if (remedy === undefined) return { tier, ...requirementOf(tier, 'isolation'), found }
  return { tier, property: 'isolation', remedy, found, general: true }
}

/** The first promise of a tier that does not hold here. */
function brokenPromise(
  tier: IsolationTier,
  found: Guarantees,
): (TierRequirement & { found: string }) | undefined {
  const weak: Partial<Record<keyof Guarantees, boolean>> = {
    network: found.network === 'host',
    files: found.files === 'same-user',
    processes: found.processes === 'none',
    descendants: tier !== 'seatbelt' && found.descendants === 'best-effort',
    syscalls: tier !== 'seatbelt' && found.syscalls === 'none',
  }
  for (const property of Object.keys(weak) as (keyof Guarantees)[])
    if (weak[property]) return { ...requirementOf(tier, property), found: `it was "${found[property]}"` }
  return undefined
}

function unavailable(
  { isolation, minimum }: TierRequest,
  refusals: readonly Refusal[],
  available: IsolationTier,
): MendloopError<'ISOLATION_UNAVAILABLE'> {
  // The one that asks least of the machine is the one to help with.
  const general = refusals.find((one) => one.general)
  const nearest = general ?? refusals.at(-1)
  const wanted = isolation === 'auto' ? minimum : isolation
  const found = refusals
    .map((one) => `The "${one.tier}" tier: ${one.property} does not hold (${one.found}); ${one.remedy}.`)
    .join(' ')
  const reason =
    refusals.length > 0
      ? found
      : isolation !== 'auto' && STRENGTH[isolation] < STRENGTH[minimum]
        ? `isolation "${isolation}" is weaker than minimum "${minimum}".`
        : `This system (${process.platform}) does not have it.`
  // First what has to be done first.
  const none = general
    ? `${general.remedy} Without that, the "${wanted}" tier cannot be had here.`
    : `the "${wanted}" tier cannot be had here. ${reason}`
  const instead = alternative({ isolation, minimum }, available)
  return new MendloopError('ISOLATION_UNAVAILABLE', `subprocess(): ${none} ${instead}.`, {
    details: {
      minimum,
      available,
      property: nearest?.property ?? 'isolation',
      remedy: nearest?.remedy ?? instead,
    },
  })
}

/** What can be had instead, as a sentence without its end. */
function alternative({ isolation, minimum }: TierRequest, available: IsolationTier): string {
  const works = `The "${available}" tier works here`
  if (isolation !== 'auto' && STRENGTH[isolation] < STRENGTH[minimum])
    return `subprocess({ isolation: '${isolation}', minimum: '${isolation}' }) asks for it by name`
  if (available === 'process')
    return "subprocess({ minimum: 'process' }) asks for the process tier by name, in which a program can read this user's files and use the network; a container sandbox isolates more"
  return STRENGTH[available] >= STRENGTH[minimum]
    ? `${works}: leave out "isolation", and it is used`
    : `${works}: subprocess({ minimum: '${available}' }) accepts it`
}
