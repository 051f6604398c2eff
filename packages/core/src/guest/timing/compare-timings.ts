// Which of several ways to write something is faster, told only when it can be told.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { MendloopError } from '../../contract/errors.js'
import { abortSignalSchema } from '../../contract/foreign-values.js'
import { languageAmong } from '../../contract/language-names.js'
import { parseOptions } from '../../contract/options.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { type TimingOrder, timeOnce } from './time-once.js'
import { spreadOf, type TimeSpread } from './timing-statistics.js'
import { type TimingVerdict, verdictOf } from './timing-verdict.js'

/** What is compared, and how. */
export interface CompareTimingsOptions {
  /** Language of the code, Python or JavaScript, by any usual name. */
  readonly language: 'python' | 'javascript' | (string & {})
  /** Name → code; at least two. The value of a last expression (in JavaScript: of code that is one) is its result. */
  readonly alternatives: Readonly<Record<string, string>>
  /** Code that runs before, untimed; its names are seen by every alternative. May import files of the workspace. */
  readonly setup?: string
  /** Samples of each alternative, each from a process of its own; 7 to 100. Default 9. */
  readonly repeats?: number
  /** Least time of one measurement, in milliseconds; short code is run often enough to take it. Default 20. */
  readonly minTimeMs?: number
  /** Most time of one process, in milliseconds. Default 30 000. */
  readonly wallMs?: number
  /** Call it inconclusive when the alternatives have different results. Default true. */
  readonly sameResult?: boolean
  /** Aborting ends the comparison. */
  readonly signal?: AbortSignal
}

/** What came of a comparison. */
export interface TimingComparison {
  /** Each alternative, by its name. */
  readonly alternatives: Readonly<Record<string, ComparedAlternative>>
  /** Which one is fastest, where that can be said. */
  readonly verdict: TimingVerdict
}

/** One alternative, timed or failed. */
export type ComparedAlternative =
  | (TimeSpread & {
      /** It ran every time. */
      readonly kind: 'timed'
      /** Time of one run of the code, in milliseconds, one for each process. */
      readonly samples: readonly number[]
      /** Runs in one measurement. */
      readonly iterations: number
      /** Its result as text, shortened; absent where it has none. */
      readonly result?: string
    })
  | {
      /** It did not, at least once. */
      readonly kind: 'failed'
      /** What it said or how its process ended. */
      readonly message: string
    }

type CheckedOptions = CompareTimingsOptions & { readonly language: 'python' | 'javascript' }

const optionsSchema: z.ZodType<CheckedOptions> = z.strictObject({
  language: languageAmong(['python', 'javascript']),
  alternatives: z
    .record(z.string().min(1), z.string())
    .refine((all) => Object.keys(all).length >= 2, 'must name at least two alternatives'),
  setup: z.string().optional(),
  repeats: z.int().min(7, 'must be at least 7').max(100, 'must be at most 100').optional(),
  minTimeMs: z.number().min(1, 'must be at least 1').max(10_000, 'must be at most 10000').optional(),
  wallMs: z.int().positive('must be more than 0').optional(),
  sameResult: z.boolean().optional(),
  signal: abortSignalSchema.optional(),
})

/** A measurement that takes longer than this is made once in a process instead of thrice, and not warmed up. */
const LONG_MS = 300

/**
 * Times alternatives against each other in a sandbox: each sample in a fresh process, in turn and in changing order, so
 * that what else the machine does falls on all alike. An alternative that fails is reported and the others are compared.
 *
 * The verdict is `inconclusive` unless the difference stands out of the spread. Code that sets out to lie about its own
 * time can: this compares honest programs.
 *
 * @throws MendloopError INVALID_OPTION, ABORTED, SANDBOX_CLOSED
 */
export async function compareTimings(
  sandbox: Sandbox,
  options: CompareTimingsOptions,
): Promise<TimingComparison> {
  const parsed = parseOptions(optionsSchema, options, 'compareTimings()')
  const contenders: Contender[] = []
  const failures = new Map<string, string>()
  for (const [name, code] of Object.entries(parsed.alternatives)) {
    const answer = await once(sandbox, parsed, { code, seconds: (parsed.minTimeMs ?? 20) / 1000 })
    if ('error' in answer) failures.set(name, answer.error)
    else contenders.push({ name, code, calibration: answer, samples: [] })
  }
  for (let round = 0; round < (parsed.repeats ?? 9); round++) {
    for (const contender of turned(contenders, round)) {
      if (failures.has(contender.name)) continue
      const { code, calibration, samples } = contender
      const { repeat } = calibration
      const isLong = Math.max(...calibration.seconds) * 1000 > LONG_MS
      const plan = { repeat, batches: isLong ? 1 : 3, warmUp: !isLong }
      const answer = await once(sandbox, parsed, { code, ...plan })
      if ('error' in answer) failures.set(contender.name, answer.error)
      // What disturbs a program only ever makes it slower: the least of one process is nearest to the code itself.
      else samples.push((Math.min(...answer.seconds) * 1000) / repeat)
    }
  }
  const timed = contenders.filter(({ name }) => !failures.has(name))
  return {
    alternatives: Object.fromEntries(
      Object.keys(parsed.alternatives).map((name) => [name, report(name, timed, failures)]),
    ),
    verdict: verdictOf(
      timed.map(({ name, samples, calibration: { result } }) => ({ name, samples, result })),
      { sameResult: parsed.sameResult ?? true },
    ),
  }
}

interface Contender {
  readonly name: string
  readonly code: string
  readonly calibration: {
    readonly repeat: number
    readonly seconds: readonly number[]
    readonly result?: string
  }
  readonly samples: number[]
}

async function once(
  sandbox: Sandbox,
  { language, setup = '', wallMs = 30_000, signal }: CheckedOptions,
  order: Omit<TimingOrder, 'setup' | 'word'>,
): ReturnType<typeof timeOnce> {
  const answer = await timeOnce(
    sandbox,
    language,
    { ...order, setup, word: randomUUID() },
    { wallMs, signal },
  )
  if (!signal?.aborted) return answer
  throw new MendloopError('ABORTED', 'compareTimings() was aborted by its signal.', {
    details: { during: 'sandbox' },
    cause: signal.reason,
  })
}

/** A different one begins each round. */
const turned = (all: readonly Contender[], round: number): readonly Contender[] =>
  all.map((_, index) => all[(index + round) % all.length]).filter((one) => one !== undefined)

const SHOWN_CHARACTERS = 500

function report(
  name: string,
  timed: readonly Contender[],
  failures: ReadonlyMap<string, string>,
): ComparedAlternative {
  const contender = timed.find((one) => one.name === name)
  if (contender === undefined) return { kind: 'failed', message: failures.get(name) ?? 'it was not run' }
  const { samples, calibration } = contender
  const result = calibration.result?.slice(0, SHOWN_CHARACTERS)
  return {
    kind: 'timed',
    ...spreadOf(samples),
    samples,
    iterations: calibration.repeat,
    ...(result !== undefined && { result }),
  }
}
