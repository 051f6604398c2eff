// Which of several ways to write something is faster, told only when it can be told.
import { randomUUID } from 'node:crypto'
import { MendloopError } from '../../contract/errors.js'
import { parseOptions } from '../../contract/options.js'
import { requireSandbox } from '../../contract/require-parts.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { type TimingAnswer, type TimingOrder, timeOnce } from './time-once.js'
import {
  type CheckedTimingOptions,
  type CompareTimingsOptions,
  timingOptionsSchema,
} from './timing-options.js'
import { spreadOf, type TimeSpread } from './timing-statistics.js'
import { type TimingVerdict, verdictBefore, verdictOf } from './timing-verdict.js'

export type { CompareTimingsOptions } from './timing-options.js'

/** What came of a comparison. */
export interface TimingComparison {
  /** Each alternative, by its name. */
  readonly alternatives: Readonly<Record<string, ComparedAlternative>>
  /** Which one is fastest, where that can be said. */
  readonly verdict: TimingVerdict
}

/** One alternative: timed, not timed or failed. */
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
      /** It ran, and was not timed, since nothing could be compared: the results differ, or no other one ran. */
      readonly kind: 'untimed'
      /** Its result as text, shortened; absent where it has none. */
      readonly result?: string
    }
  | {
      /** It did not, at least once. */
      readonly kind: 'failed'
      /** What it said, and in which line where there are several, or how its process ended. */
      readonly message: string
    }

/** A measurement that takes longer than this is made once in a process instead of thrice, and not warmed up. */
const LONG_MS = 300
/** Time spent on an alternative before the results are compared, once it has run. */
const TRIAL_MS = 20

/**
 * Times alternatives against each other in a sandbox: each sample in a fresh process, in turn and in changing order, so
 * that what else the machine does falls on all alike. An alternative that fails is reported and the others are compared.
 *
 * Each is tried once first. When their results differ, or fewer than two run, that is told at once and nothing is timed.
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
  requireSandbox(sandbox, 'compareTimings()')
  const parsed = parseOptions(timingOptionsSchema, options, 'compareTimings()')
  const ask: Ask = (order) => once(sandbox, parsed, order)
  const contenders = Object.entries(parsed.alternatives).map(([name, code]) => new Contender(name, code))
  for (const one of contenders) await one.calibrate(ask, Math.min(parsed.minTimeMs, TRIAL_MS))
  const early = verdictBefore(contenders, parsed)
  if (early === undefined) await takeSamples(contenders, parsed, ask)
  return {
    alternatives: Object.fromEntries(contenders.map((one) => [one.name, one.report(parsed.repeats)])),
    verdict: early ?? verdictOf(contenders, parsed),
  }
}

type Ask = (order: Omit<TimingOrder, 'setup' | 'word'>) => Promise<TimingAnswer>

/** Ends early when fewer than two are left. */
async function takeSamples(
  contenders: readonly Contender[],
  { repeats, minTimeMs }: CheckedTimingOptions,
  ask: Ask,
): Promise<void> {
  const left = (): readonly Contender[] => contenders.filter(({ failure }) => failure === undefined)
  if (minTimeMs > TRIAL_MS) for (const one of left()) await one.calibrate(ask, minTimeMs)
  for (let round = 0; round < repeats; round++) {
    for (const one of turned(left(), round)) {
      if (left().length < 2) return
      await one.sample(ask)
    }
  }
}

/** A different one begins each round. */
const turned = (all: readonly Contender[], round: number): readonly Contender[] =>
  all.map((_, index) => all[(index + round) % all.length]).filter((one) => one !== undefined)

const SHOWN_CHARACTERS = 500

/** An alternative and what is known of it so far. */
class Contender {
  readonly name: string
  readonly code: string
  readonly samples: number[] = []
  /** What went wrong; it is not run again then. */
  failure: string | undefined
  /** Of its first run. */
  result: string | undefined
  #repeat = 0
  #tookMs = 0

  constructor(name: string, code: string) {
    this.name = name
    this.code = code
  }

  /** Finds out how often it must run to take so long; what already does is left as it is. */
  async calibrate(ask: Ask, minTimeMs: number): Promise<void> {
    if (this.#tookMs >= minTimeMs) return
    const answer = await ask({ code: this.code, seconds: minTimeMs / 1000 })
    if ('error' in answer) {
      this.failure = answer.error
      return
    }
    this.result ??= answer.result
    this.#repeat = answer.repeat
    this.#tookMs = Math.max(...answer.seconds) * 1000
  }

  async sample(ask: Ask): Promise<void> {
    const isLong = this.#tookMs > LONG_MS
    const plan = { repeat: this.#repeat, batches: isLong ? 1 : 3, warmUp: !isLong }
    const answer = await ask({ code: this.code, ...plan })
    if ('error' in answer) this.failure = answer.error
    // What disturbs a program only ever makes it slower: the least of one process is nearest to the code itself.
    else this.samples.push((Math.min(...answer.seconds) * 1000) / this.#repeat)
  }

  report(repeats: number): ComparedAlternative {
    if (this.failure !== undefined) return { kind: 'failed', message: this.failure }
    const result = this.result?.slice(0, SHOWN_CHARACTERS)
    const shown = result !== undefined && { result }
    const { samples } = this
    if (samples.length < repeats) return { kind: 'untimed', ...shown }
    return { kind: 'timed', ...spreadOf(samples), samples, iterations: this.#repeat, ...shown }
  }
}

async function once(
  sandbox: Sandbox,
  { language, setup, wallMs, signal }: CheckedTimingOptions,
  order: Parameters<Ask>[0],
): Promise<TimingAnswer> {
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
