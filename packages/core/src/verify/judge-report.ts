// What the judges of pythonTests and javascriptTests write on their standard output: lines of JSON, each with the secret of the run.
import { z } from 'zod'
import { FAILURE_KINDS } from './failure-kinds.js'

const place = z.tuple([z.string(), z.int(), z.int()])
const reportedFailureSchema = z.object({
  kind: z.enum(FAILURE_KINDS),
  message: z.string(),
  input: z.string().nullish(),
  expected: z.string().nullish(),
  actual: z.string().nullish(),
  /** Path, line, function and source of each frame in the candidate's files, outermost first. */
  frames: z.array(z.tuple([z.string(), z.int(), z.string(), z.string()])).default([]),
  folded: z.int().default(0),
  locals: z.record(z.string(), z.string()).default({}),
  /** Path, line and column of a syntax error. */
  syntax: place.optional(),
  /** A library that the tests import and that is not installed. */
  absent: z.string().optional(),
  /** True when the tests ask for what the judge cannot do, whatever the program. */
  misuse: z.boolean().optional(),
  get cause() {
    return reportedFailureSchema.optional()
  },
})

const lineSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready'), private: z.boolean().optional() }),
  z.object({ event: z.literal('start'), name: z.string() }),
  z.object({ event: z.literal('slow'), call: z.string().nullable() }),
  z.object({
    event: z.literal('test'),
    name: z.string(),
    status: z.enum(['pass', 'fail', 'not-run']),
    durationMs: z.number(),
    failures: z.array(reportedFailureSchema),
    /** Why it did not run, where the tests say. */
    reason: z.string().optional(),
  }),
  z.object({ event: z.literal('refused'), reason: z.string(), misuse: z.boolean().optional() }),
  z.object({
    event: z.literal('end'),
    tests: z.int(),
    weakComparisons: z.int(),
    lost: z.object({ how: z.string(), problem: z.string(), status: z.int().nullable() }).nullable(),
  }),
])
type Line = z.infer<typeof lineSchema>

/** A failure as the judge tells it. */
export type ReportedFailure = z.infer<typeof reportedFailureSchema>
/** A test as the judge tells it. */
export type ReportedTest = Extract<Line, { event: 'test' }>

/** Everything that one run of the judge told. */
export interface JudgeReport {
  /** False when the judge never got as far as the candidate. */
  readonly ready: boolean
  /** False when the candidate may be able to reach into the judge. */
  readonly isPrivate: boolean
  /** Why the judge would not begin. */
  readonly refused?: { readonly reason: string; readonly misuse?: boolean | undefined }
  /** The tests that ended, in order. */
  readonly tests: readonly ReportedTest[]
  /** The test that had begun and not ended. */
  readonly running?: string
  /** The call of the candidate that had not returned by then. */
  readonly runningCall?: string
  /** The last line. Absent: the report is not complete, and nothing in it is a pass. */
  readonly end?: Extract<Line, { event: 'end' }>
}

/** Reads the lines that carry `nonce`; all others are not the judge's. */
export function readJudgeReport(stdout: string, nonce: string): JudgeReport {
  const lines = stdout.split('\n').flatMap((text) => readLine(text, nonce))
  const tests = lines.filter((line) => line.event === 'test')
  const last = lines.findLast((line) => line.event === 'start' || line.event === 'test')
  const latest = lines.at(-1)
  const refused = lines.find((line) => line.event === 'refused')
  const end = lines.find((line) => line.event === 'end')
  return {
    ready: lines.some((line) => line.event === 'ready'),
    isPrivate: !lines.some((line) => line.event === 'ready' && line.private === false),
    ...(refused !== undefined && { refused }),
    tests,
    ...(last?.event === 'start' && end === undefined && { running: last.name }),
    ...(latest?.event === 'slow' && latest.call !== null && { runningCall: latest.call }),
    // A line that was lost on the way would be a test that nobody saw.
    ...(end !== undefined && end.tests === tests.length && { end }),
  }
}

function readLine(text: string, nonce: string): Line[] {
  if (!text.includes(nonce)) return []
  try {
    const value: unknown = JSON.parse(text)
    if ((value as { nonce?: unknown } | null)?.nonce !== nonce) return []
    const parsed = lineSchema.safeParse(value)
    return parsed.success ? [parsed.data] : []
  } catch {
    return []
  }
}
