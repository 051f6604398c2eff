// How a recorded run ended, put together from its events alone.
import type { Spent } from '../contract/budget.js'
import type { Candidate } from '../contract/candidate.js'
import type { LoopEvent } from '../contract/events.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { Attempt, RepairResult, RunRecord } from '../contract/loop.js'
import type { AnsweredQuestion } from '../contract/questions.js'
import type { Guarantees } from '../contract/sandbox.js'
import { bestAttempt } from '../repair/rank-attempts.js'
import { unifiedDiff } from '../repair/unified-diff.js'

/** What a record says of its run's result. */
export interface RecordedResult {
  /** As the run's own; `failed` when it rejected, `unfinished` when the record ends before the run did. */
  readonly status: RepairResult['status'] | 'failed' | 'unfinished'
  /** The budget, cause or reason, where there was one. */
  readonly detail?: string
  /** Every candidate that was judged. */
  readonly attempts: readonly Attempt[]
  /** The program that passed, when `status` is `verified`. */
  readonly candidate?: Candidate
  /** The best candidate. */
  readonly best?: Candidate
  /** From the first candidate to `best`. Absent when there is none. */
  readonly diff?: string
  /** Every question that was answered, and by whom. */
  readonly questions: readonly AnsweredQuestion[]
  /** What was spent, as far as it was recorded. */
  readonly spent?: Spent
  /** What the sandbox enforced. */
  readonly guarantees?: Guarantees
  /** Where all of it comes from. */
  readonly record: RunRecord
}

/** Gathers a result from events, in order. */
export class ResultGatherer {
  readonly #attempts: Attempt[] = []
  readonly #questions: AnsweredQuestion[] = []
  #execution: ExecutionResult | undefined
  #end: { readonly status: string; readonly detail?: string } | undefined
  #spent: Spent | undefined
  #guarantees: Guarantees | undefined

  take(event: LoopEvent): void {
    switch (event.type) {
      case 'run-start':
        this.#attempts.push(...(event.attempts ?? []))
        this.#questions.push(...(event.questions ?? []))
        break
      case 'question-answered': {
        const {
          type: _type,
          runId: _runId,
          sequence: _sequence,
          atMs: _atMs,
          attempt: _attempt,
          ...answered
        } = event
        this.#questions.push(answered)
        break
      }
      case 'attempt-start':
        this.#spent = event.spent
        break
      case 'sandbox-start':
        this.#guarantees = event.guarantees
        break
      case 'execution-end':
        if (event.purpose === 'program') this.#execution = event.result
        break
      case 'infrastructure-error':
        // What ran in a sandbox that was lost says nothing; the candidate is judged again.
        this.#execution = undefined
        break
      case 'attempt-end': {
        const execution = event.result.execution ?? this.#execution ?? this.#executionBefore(event.result)
        this.#attempts.push({ ...event.result, ...(execution !== undefined && { execution }) })
        this.#execution = undefined
        break
      }
      case 'run-end':
        this.#end = event
        this.#spent = event.spent
    }
  }

  /** A program that came again to the letter was not run again. */
  #executionBefore({ repeats }: Attempt): ExecutionResult | undefined {
    if (repeats?.kind !== 'text') return undefined
    return this.#attempts.find(({ attempt }) => attempt === repeats.of)?.execution
  }

  result(record: RunRecord): RecordedResult {
    const attempts = this.#attempts
    const status = (this.#end?.status ?? 'unfinished') as RecordedResult['status']
    const best = bestAttempt(attempts)?.candidate
    const diff = best === undefined ? '' : unifiedDiff(attempts[0]?.candidate.files ?? {}, best.files)
    const passed = status === 'verified' ? attempts.at(-1)?.candidate : undefined
    return {
      record,
      attempts,
      questions: this.#questions,
      status,
      ...(this.#end?.detail !== undefined && { detail: this.#end.detail }),
      ...(passed !== undefined && { candidate: passed }),
      ...(best !== undefined && { best }),
      ...(diff !== '' && { diff }),
      ...(this.#spent !== undefined && { spent: this.#spent }),
      ...(this.#guarantees !== undefined && { guarantees: this.#guarantees }),
    }
  }
}
