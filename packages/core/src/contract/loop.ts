// What a loop is: start, watch, get a value. A run that did not succeed is a value too.
import { z } from 'zod'
import { type Budget, budgetSchema, type Spent } from './budget.js'
import type { Candidate } from './candidate.js'
import type { MendloopError } from './errors.js'
import type { LoopEvent, LoopEventOf, LoopEventType } from './events.js'
import type { ExecutionResult } from './execution.js'
import { abortSignalSchema } from './foreign-values.js'
import type { AnsweredQuestion, Question } from './questions.js'
import type { Guarantees } from './sandbox.js'
import type { Failure, Verdict } from './verify.js'

/** A loop that can be run on tasks, each run independent of the others. */
export interface Loop<Task, Result> {
  /** Runs to the end. Rejects only for misuse or a bug. */
  run(task: Task, options?: RunOptions): Promise<Result>
  /** Starts a run and returns at once, so that it can be watched. */
  start(task: Task, options?: RunOptions): LoopRun<Result>
  /**
   * Goes on where `state` was taken. The task is handed in again, since verifiers are functions and a state is data.
   * A model turn that was paid for is never asked again.
   *
   * @throws MendloopError RECORD_INVALID when the state is of another loop, version or goal; INVALID_OPTION when an answer is
   * to a question that is not open in it
   */
  resume(task: Task, state: RunState, options?: ResumeOptions): LoopRun<Result>
}

/** What concerns one run only. */
export interface RunOptions {
  /** Aborting ends the run with status `aborted`. */
  signal?: AbortSignal
  /** Overrides of the loop's budget. */
  budget?: Partial<Budget>
}

/** What concerns one run that goes on. */
export interface ResumeOptions extends RunOptions {
  /** Answers to the questions that are open in the state, by id. Default: what had asked is asked again. */
  answers?: Readonly<Record<string, string>>
}

/** A run that is under way. Iterating gives every event from the start; `on` gives those from now on. */
export interface LoopRun<Result> extends AsyncIterable<LoopEvent> {
  /** Unique name of the run. */
  readonly id: string
  /** How it ends. Rejects only for misuse or a bug. */
  readonly result: Promise<Result>
  /** What has been spent so far. */
  readonly spent: Spent
  /** Calls `listener` for every event of this type; what it throws becomes a process warning, and never breaks the run. */
  on<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this
  /** Like `on`, for the next event only. */
  once<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this
  /** Takes a listener away. */
  off<T extends LoopEventType>(type: T, listener: (event: LoopEventOf<T>) => void): this
  /** Ends the run with status `aborted`; what runs is killed. */
  abort(reason?: string): void
  /**
   * Answers the question that the run waits for, as `question-asked` tells it.
   *
   * @param text - one of its options, or other words; kept as they are
   * @throws MendloopError INVALID_OPTION when the run waits for no question of this id, or the text is empty
   */
  answer(questionId: string, text: string): void
  /** Where the run stands, as JSON data that {@link Loop.resume} takes. Valid at any moment, also after the end. */
  state(): RunState
}

/** Where a run stands: JSON data, to be kept anywhere and handed back to {@link Loop.resume}. */
export interface RunState {
  /** Version of this format. */
  readonly version: 1
  /** Which loop made it. */
  readonly loop: 'repair' | 'interpreter'
  /** Id of the run; the resumed run keeps it. */
  readonly runId: string
  /** Progress, in a form that only the loop that made it reads. */
  readonly data: unknown
}

/** What a person gets when a loop cannot go on alone. */
export interface Handover {
  /** The best candidate so far. */
  readonly best?: Candidate
  /** One line a turn: what was tried and what came of it. */
  readonly turns: readonly string[]
  /** Names of the checks that still fail. */
  readonly failingChecks: readonly string[]
  /** What the person is asked. */
  readonly question: string
}

/** Schema of {@link RunOptions}. */
export const runOptionsSchema: z.ZodType<RunOptions> = z.strictObject({
  signal: abortSignalSchema.optional(),
  budget: budgetSchema.optional(),
})

/** Schema of {@link ResumeOptions}. */
export const resumeOptionsSchema: z.ZodType<ResumeOptions> = z.strictObject({
  signal: abortSignalSchema.optional(),
  budget: budgetSchema.optional(),
  answers: z.record(z.string(), z.string()).optional(),
})

/** One candidate and what became of it. */
export interface Attempt {
  /** 1-based. */
  readonly attempt: number
  /** The program. */
  readonly candidate: Candidate
  /** The run of the program itself, when a verifier asked for it. */
  readonly execution?: ExecutionResult
  /** Each verifier's verdict: visible checks in the task's order, the one on `outputs`, then held-out checks. */
  readonly verdicts: readonly NamedVerdict[]
  /** What went wrong, visible checks only. */
  readonly failures: readonly Failure[]
  /** True when every verifier passed. */
  readonly passed: boolean
  /** What came again. */
  readonly repeats?: {
    /**
     * `text`: the same program to the letter. `code`: the same but for comments, layout and local
     * names. `failure`: another program that fails in the same way.
     */
    readonly kind: 'text' | 'code' | 'failure'
    /** Number of the attempt that had it first. */
    readonly of: number
    /** False for a program whose earlier verdict stands: it is the same to the letter. */
    readonly wasRun: boolean
  }
}

/** A verdict with the name of the check. */
export interface NamedVerdict extends Verdict {
  /** Name of the verifier. */
  readonly name: string
  /** Whether the model may see its details. */
  readonly visibility: 'visible' | 'held-out'
}

/** Everything that happened in a run, as JSON data; see {@link LoopEvent} for what each line holds. */
export interface RunRecord {
  /** Version of this format. */
  readonly version: 1
  /** Id of the run. */
  readonly runId: string
  /** Every event except `model-delta` and `execution-output`, whose text the `-end` events hold in full. */
  readonly events: readonly LoopEvent[]
}

/** How a repair run ended. */
export type RepairResult = RepairResultBase &
  (
    | {
        /** Every check passed. */
        readonly status: 'verified'
        /** The program that passed. */
        readonly candidate: Candidate
      }
    | {
        /** A budget ended; `best` is the best candidate so far. */
        readonly status: 'exhausted'
        /** Which one. */
        readonly budget: keyof Budget
        /** For whoever decides how it goes on; resume with a larger budget, and nothing is paid twice. */
        readonly handover: Handover
      }
    | {
        /** The model server or the sandbox was lost, beyond its budget or beyond repair. */
        readonly status: 'environment-lost'
        /** What happened, as a sentence. */
        readonly cause: string
        /** The error underneath, where there is one. */
        readonly error?: MendloopError
      }
    | {
        /** The same programs or failures came back whatever was tried. */
        readonly status: 'stalled'
        /** What repeated, as a sentence. */
        readonly reason: string
        /** For whoever decides how it goes on. */
        readonly handover: Handover
      }
    | {
        /** A person has to decide, as a hook says. */
        readonly status: 'needs-human'
        /** What is asked; resume with `answers: { [question.id]: text }`. */
        readonly question: Question
        /** What the person gets. */
        readonly handover: Handover
        /** To go on from, once it is decided. */
        readonly state: RunState
      }
    | {
        /** The caller ended it. */
        readonly status: 'aborted'
      }
  )

/** What every result of a repair run carries. */
export interface RepairResultBase {
  /** Everything that happened. */
  readonly record: RunRecord
  /** What it cost. */
  readonly spent: Spent
  /** Every candidate that was judged. */
  readonly attempts: readonly Attempt[]
  /** The best candidate: most checks passed, then most tests passed, then how far it came. */
  readonly best?: Candidate
  /** From the task's own files, or else the first candidate, to `best`: a unified diff. Absent when there is none. */
  readonly diff?: string
  /** Every question that was answered, and by whom; what was taken because nobody answered has `by: 'default'`. */
  readonly questions: readonly AnsweredQuestion[]
  /** Content of the task's `outputs` after the best attempt's program ran. */
  readonly outputs: Readonly<Record<string, Uint8Array>>
  /** What the sandbox enforced. */
  readonly guarantees?: Guarantees
}
