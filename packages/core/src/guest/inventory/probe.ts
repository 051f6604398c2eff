// Probes: small programs that find out whether something that a model says it cannot do works in a sandbox.
import { z } from 'zod'
import type { ExecutionResult } from '../../contract/execution.js'
import { parseOptions } from '../../contract/options.js'
import { requireSandbox } from '../../contract/require-parts.js'
import type { Command, Sandbox } from '../../contract/sandbox.js'

/** Finds out by trying whether a sandbox can do something. */
export interface Probe {
  /** What it is about, such as `plot`; one of each is enough. */
  readonly capability: string
  /** Whether a model's reply denies this capability, as in "I cannot draw a plot". */
  matches(reply: string): boolean
  /** What is run to find out. */
  readonly command: Command
  /**
   * Reads what came of it. Returning undefined says that the run showed nothing; throwing says the same.
   *
   * @param result - of the command, however it ended
   */
  read(result: ExecutionResult): ProbeFinding | undefined
}

/** What a probe found: a fact either way. */
export interface ProbeFinding {
  /** Whether it works. */
  readonly works: boolean
  /** One sentence for the model, true whatever it believed before. */
  readonly fact: string
}

/** What a probe found, and about what. */
export interface ProbeResult extends ProbeFinding {
  /** That of the probe. */
  readonly capability: string
}

const aFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
)
const probeFields = {
  capability: z.string().min(1),
  matches: aFunction as z.ZodType<Probe['matches']>,
  command: z.custom<Command>(
    (value) => value !== undefined && value !== null && value !== '',
    'must be a command',
  ),
  read: aFunction as z.ZodType<Probe['read']>,
}
const definitionSchema: z.ZodType<Probe> = z.strictObject(probeFields)
/** A probe that was not defined by us may have parts of its own. */
const probeSchema: z.ZodType<Probe> = z.object(probeFields, 'must be a probe, such as one of BUILT_IN_PROBES')

const findingSchema: z.ZodType<ProbeFinding> = z.object(
  { works: z.boolean(), fact: z.string().min(1) },
  'must give { works, fact }, or undefined',
)

/**
 * A probe of your own.
 *
 * @throws MendloopError INVALID_OPTION when a part is missing or misspelt
 */
export function defineProbe(probe: Probe): Probe {
  return Object.freeze(parseOptions(definitionSchema, probe, 'defineProbe()'))
}

/** The probes whose capability a reply denies, one for each capability; the later one where two have the same. */
export function matchingProbes(reply: string, probes: readonly Probe[]): readonly Probe[] {
  const byCapability = new Map(probes.map((probe) => [probe.capability, probe]))
  return [...byCapability.values()].filter((probe) => {
    try {
      return probe.matches(reply)
    } catch {
      // A probe that breaks on a reply has nothing to say about it.
      return false
    }
  })
}

/** Time that a probe may take, in milliseconds; a first `import matplotlib` builds a font cache. */
const PROBE_MS = 30_000

/**
 * Runs a probe and says what it found.
 *
 * @throws MendloopError INVALID_OPTION for what is no probe, or one whose `read` gives something else than it should;
 *   SANDBOX_CLOSED, SANDBOX_UNAVAILABLE
 */
export async function runProbe(
  sandbox: Sandbox,
  probe: Probe,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ProbeResult> {
  requireSandbox(sandbox, 'runProbe()')
  const { command, capability } = parseOptions(probeSchema, probe, 'runProbe()')
  const result = await sandbox.exec(command, {
    limits: { wallMs: PROBE_MS },
    ...(signal !== undefined && { signal }),
  })
  return { capability, ...(found(probe, result) ?? nothing(result)) }
}

function found(probe: Probe, result: ExecutionResult): ProbeFinding | undefined {
  let finding: unknown
  try {
    finding = probe.read(result)
  } catch {
    return undefined
  }
  if (finding === undefined) return undefined
  return parseOptions(findingSchema, finding, `read() of the probe "${probe.capability}"`)
}

/** How it ended is a fact as well. */
function nothing({ outcome, stderr }: ExecutionResult): ProbeFinding {
  const last = stderr.text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  const how = {
    exit: () => `ended with exit code ${'code' in outcome ? outcome.code : 0}`,
    signal: () => `was ended by ${'signal' in outcome ? outcome.signal : 'a signal'}`,
    timeout: () => 'ran out of time',
    resource: () => `ran out of ${'limit' in outcome ? outcome.limit : 'a resource'}`,
    denied: () => 'was not permitted',
    aborted: () => 'was interrupted',
    lost: () => 'was lost with its sandbox',
  }[outcome.kind]()
  return { works: false, fact: `It was tried here and ${how}${last === '' ? '' : `: ${last}`}.` }
}

// What models write when they decline; English, as are the capabilities of the built-in probes.
const DENIAL =
  /\b(?:can(?:'|’)?t|can ?not|could not|couldn(?:'|’)t|unable to|not able to|not capable of|no (?:ability|access|way)|(?:do(?:es)? not|don(?:'|’)t|doesn(?:'|’)t) have (?:the ability|access|a way|any way|the means|permission)|not possible|impossible|lack(?:s)? (?:the )?(?:ability|access))\b/iu

/**
 * Whether a sentence of `reply` both denies something and speaks of `subject`.
 *
 * @param subject - what the sentence must be about, such as `/\b(?:plot|chart)/i`
 */
export function denies(reply: string, subject: RegExp): boolean {
  // Bounded: a reply of megabytes is no refusal.
  const text = reply.slice(0, 20_000).replace(/```[\s\S]*?(?:```|$)/g, '\n')
  return text.split(/[.!?;\n]+(?=\s|$)/u).some((one) => DENIAL.test(one) && subject.test(one))
}
