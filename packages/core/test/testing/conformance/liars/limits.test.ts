// Liars about limits: they claim what they do not keep, or take what they do not claim.
import type { Guarantees, Limits } from '../../../../src/contract/sandbox.js'
import {
  aboutResults,
  catchLiars,
  honestProvider,
  type Lie,
  plainly,
  wrapProvider,
} from '../../../helpers/liars.js'

/** Forgets limits on their way, and claims to keep them. */
const forgets =
  (names: readonly (keyof Limits)[], claim: Partial<Guarantees> = {}): Lie =>
  (sandbox) => {
    const guarantees = { ...sandbox.guarantees, ...claim }
    return {
      guarantees,
      async exec(command, options = {}) {
        const kept = Object.entries(options.limits ?? {}).filter(
          ([name]) => !names.some((one) => one === name),
        )
        // What is not asked for falls back to the default, which may be lower.
        const limits = { memoryBytes: 2 ** 31, ...Object.fromEntries(kept) }
        return { ...(await sandbox.exec(command, { ...options, limits })), guarantees }
      },
    }
  }

catchLiars(
  'limits',
  [
    {
      who: 'claims to count processes and does not',
      caughtBy: 'stops a fork bomb at the limit of processes, and goes on working',
      alone: true,
      lie: forgets(['processes'], { pids: 'per-sandbox' }),
    },
    {
      who: 'does not bound memory',
      caughtBy: 'stops a program at the limit of memory, and goes on working',
      alone: true,
      lie: forgets(['memoryBytes']),
    },
    {
      who: 'bounds each process and claims to bound them all',
      caughtBy: 'bounds the memory of all processes of a program together',
      alone: true,
      lie: forgets([], { memory: 'per-execution' }),
    },
    {
      who: 'mistakes one clock for the other',
      caughtBy: 'ends a program at the limit of processor time, and not for time that it slept',
      alone: true,
      lie: aboutResults((result) =>
        result.outcome.kind === 'timeout'
          ? { ...result, outcome: { ...result.outcome, clock: 'wall' } }
          : result,
      ),
    },
    {
      who: 'counts sleep as work',
      caughtBy: 'ends a program at the limit of processor time, and not for time that it slept',
      alone: true,
      lie: (sandbox) => ({
        async exec(command, options = {}) {
          const { cpuMs, ...limits } = options.limits ?? {}
          const result = await sandbox.exec(command, {
            ...options,
            limits: { ...limits, ...(cpuMs && { wallMs: cpuMs }) },
          })
          return result.outcome.kind === 'timeout'
            ? { ...result, outcome: { ...result.outcome, clock: 'cpu' } }
            : result
        },
      }),
    },
    {
      who: 'lets files grow',
      caughtBy: 'bounds the size of one file',
      alone: true,
      lie: forgets(['fileBytes']),
    },
    {
      who: 'does not count open files',
      caughtBy: 'bounds the open files of a process',
      alone: true,
      // Its default is 256, which the probe can tell from 64.
      lie: forgets(['openFiles']),
    },
    {
      who: 'takes a limit of the disk and forgets it',
      caughtBy: 'bounds the size of the workspace for one execution, or refuses to',
      alone: true,
      lie: forgets(['diskBytes'], { disk: 'bounded' }),
    },
    {
      who: 'bounds single files and claims to bound the disk',
      caughtBy: 'bounds the size of the workspace',
      alone: true,
      provider: wrapProvider(async ({ limits: { diskBytes: _, ...limits } = {}, ...options } = {}) => {
        const sandbox = plainly(await honestProvider.create({ ...options, limits }))
        return { ...sandbox, guarantees: { ...sandbox.guarantees, disk: 'bounded' } }
      }),
    },
    {
      who: 'takes a limit that it does not keep',
      caughtBy: 'refuses a limit that it does not keep, instead of ignoring it',
      alone: true,
      lie: forgets(['processes']),
    },
  ],
  { atOnce: true },
)
