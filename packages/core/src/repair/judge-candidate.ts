// One candidate in one fresh sandbox: its files, its run, every check. Used by the loop and by verifyOnce.
import type { Candidate } from '../contract/candidate.js'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult } from '../contract/execution.js'
import { inWords, toError } from '../contract/foreign-values.js'
import type { NamedVerdict } from '../contract/loop.js'
import { invalidOption } from '../contract/options.js'
import type { Command, ExecOptions, Limits, Sandbox } from '../contract/sandbox.js'
import type { Failure, Verdict, Verifier, VerifyContext } from '../contract/verify.js'
import { type ExecutionPurpose, observedExec } from '../engine/observed-sandbox.js'
import { RunEnd } from '../engine/run-end.js'
import type { RunScope } from '../engine/run-scope.js'
import type { Language } from '../language/language.js'
import { languageOf } from '../language/languages.js'
import { type RecipeHost, runRecipe } from '../language/run-recipe.js'
import { limitsInEffect, overlaid } from '../sandbox/limits-in-effect.js'
import { newFailure, notRun } from '../verify/new-failure.js'
import { JudgedFiles } from './judged-files.js'
import { observed } from './observed.js'
import { outputsVerifier } from './outputs-verifier.js'
import { type CheckRuns, type ProgramRun, ProgramRuns } from './program-runs.js'
import { couldHold, isProtected } from './protected-files.js'
import type { RepairTask } from './repair-task.js'
import { recipeHost } from './task-tools.js'
import { asVerdict, inTheWay, notAskedFor } from './verdicts.js'

/** What of a task the judging needs. */
export type JudgedTask = Pick<
  RepairTask,
  'language' | 'files' | 'protect' | 'args' | 'stdin' | 'verify' | 'outputs' | 'limits'
> & {
  /** Reads the program before it runs; while it finds failures, nothing is run. Default: nobody does. */
  readonly read?: (sandbox: Sandbox, signal: AbortSignal) => Promise<readonly Failure[]>
}

/** What became of a candidate. */
export interface Judgement {
  readonly execution?: ExecutionResult
  readonly verdicts: readonly NamedVerdict[]
  /** Of visible checks only: held-out ones are told to nobody but the caller. */
  readonly failures: readonly Failure[]
  readonly passed: boolean
  readonly outputs: Readonly<Record<string, Uint8Array>>
  /** Path of the workspace, which feedback keeps from the model. */
  readonly workdir: string
}

/** The sandbox was lost on the way; the candidate's worth is unknown. */
export class JudgingLost extends Error {}

/**
 * Judges `candidate` in `sandbox`, which must be fresh.
 *
 * @throws RunEnd when a budget ended or the run was ended; JudgingLost when the sandbox was;
 * MendloopError INVALID_OPTION when a check says that it cannot be used on any program
 */
export async function judgeCandidate(
  scope: RunScope,
  sandbox: Sandbox,
  candidate: Candidate,
  task: JudgedTask,
): Promise<Judgement> {
  const judging = new Judging(scope, sandbox, candidate, task)
  try {
    return await judging.judge()
  } catch (error) {
    // A sandbox that is gone although nobody here closed it is lost, not misused.
    if (MendloopError.is(error) && isFatal(error)) throw new JudgingLost(error.message, { cause: error })
    throw error
  }
}

class Judging {
  readonly #scope: RunScope
  readonly #sandbox: Sandbox
  readonly #candidate: Candidate
  readonly #task: JudgedTask
  readonly #limits: Limits
  readonly #files: JudgedFiles
  readonly #runs: ProgramRuns
  #fatal: Error | undefined

  constructor(scope: RunScope, sandbox: Sandbox, candidate: Candidate, task: JudgedTask) {
    this.#scope = scope
    this.#sandbox = sandbox
    this.#candidate = candidate
    this.#task = task
    this.#limits = limitsInEffect(sandbox, task.limits)
    this.#files = new JudgedFiles(sandbox, {
      inputs: task.files ?? {},
      candidate,
      outputs: task.outputs ?? [],
      // The program's own have been let through.
      isProtected: isProtected({ ...task, program: candidate.files }),
      couldHold: couldHold(task),
    })
    this.#runs = new ProgramRuns(
      () => this.#runProgram(),
      () => this.#files.startOver(),
    )
  }

  async judge(): Promise<Judgement> {
    const refused = (await this.#writeFiles()) ?? (await this.#findMistakes())
    if (refused !== undefined) return refused
    const verdicts: NamedVerdict[] = []
    const visible = this.#task.verify.filter(({ visibility }) => visibility === 'visible')
    const heldOut = this.#task.verify.filter(({ visibility }) => visibility === 'held-out')
    for (const verifier of visible) verdicts.push(await this.#check(verifier))
    if ((this.#task.outputs ?? []).length > 0)
      verdicts.push(await this.#check(outputsVerifier(this.#task.outputs ?? [], () => this.#runs.outputs)))
    const visiblePassed = verdicts.every(({ status }) => status === 'pass')
    for (const verifier of heldOut)
      verdicts.push(visiblePassed ? await this.#check(verifier) : notAskedFor(verifier))
    const { execution, outputs } = this.#runs
    return {
      ...(execution !== undefined && { execution }),
      verdicts,
      failures: verdicts
        .filter(({ visibility }) => visibility === 'visible')
        .flatMap(({ failures }) => failures),
      passed: verdicts.length > 0 && verdicts.every(({ status }) => status === 'pass'),
      outputs,
      workdir: this.#sandbox.workdir,
    }
  }

  /** A path that only the sandbox can refuse (a file where a folder is, say) is the reply's fault, not the caller's. */
  async #writeFiles(): Promise<Judgement | undefined> {
    await this.#sandbox.files.write(this.#task.files ?? {})
    try {
      await this.#sandbox.files.write(this.#candidate.files)
      return undefined
    } catch (error) {
      if (!MendloopError.is(error, 'PATH_REFUSED')) throw error
      return this.#notRun([newFailure({ kind: 'edit', message: error.message })])
    }
  }

  /** What can be known of the program before it runs. */
  async #findMistakes(): Promise<Judgement | undefined> {
    if (this.#task.read === undefined) return undefined
    const exec = (command: Command, options?: ExecOptions): Promise<ExecutionResult> =>
      this.#exec(command, 'verification', options)
    const sandbox = observed(this.#sandbox, this.#limits, exec)
    const failures = await this.#scope.settled(this.#task.read(sandbox, this.#scope.signal))
    if (this.#fatal !== undefined) throw this.#fatal
    this.#scope.check()
    return failures.length === 0 ? undefined : this.#notRun(failures)
  }

  #notRun(failures: readonly Failure[]): Judgement {
    return {
      verdicts: this.#task.verify.map(notAskedFor),
      failures,
      passed: false,
      outputs: {},
      workdir: this.#sandbox.workdir,
    }
  }

  async #check(verifier: Verifier): Promise<NamedVerdict> {
    const { name, visibility } = verifier
    this.#scope.events.emit('verification-start', { verifier: name, visibility })
    // What ran before may have rewritten inputs or the program itself; each check sees them as they were handed in.
    const verdict = (await this.#files.restore())
      ? await this.#scope.settled(this.#verdictOf(verifier))
      : inTheWay()
    if (this.#fatal !== undefined) throw this.#fatal
    this.#scope.check()
    if (verdict.lost !== undefined) throw new JudgingLost(verdict.lost)
    if (verdict.misuse !== undefined)
      throw invalidOption('task', 'verify', `the check "${name}" cannot be used. ${verdict.misuse}`, {
        expected: 'a check that can run',
        received: name,
        hint: 'mend the check; no program could pass it',
      })
    const named: NamedVerdict = { ...verdict, name, visibility }
    this.#scope.events.emit('verification-end', { verdict: named })
    return named
  }

  async #verdictOf(verifier: Verifier): Promise<Verdict> {
    const runs = this.#runs.ofCheck()
    try {
      const verdict = asVerdict(await verifier.verify(this.#context(runs)), verifier)
      if (verdict.status === 'pass') await runs.keep()
      return verdict
    } catch (error) {
      if (isFatal(error)) throw error
      return notRun('shared', `The check "${verifier.name}" threw: ${inWords(error)}`)
    }
  }

  #context({ run, restore }: CheckRuns): VerifyContext {
    const exec = (command: Command, options?: ExecOptions): Promise<ExecutionResult> =>
      this.#exec(command, 'verification', options)
    return {
      candidate: this.#candidate,
      language: this.#task.language,
      sandbox: observed(this.#sandbox, this.#limits, exec),
      run,
      exec,
      restore,
      signal: this.#scope.signal,
    }
  }

  async #runProgram(): Promise<ProgramRun> {
    const { args = [], stdin, outputs: asked = [] } = this.#task
    const language = languageOf(this.#task.language)
    const { run, compile } = await runRecipe(await this.#recipeHost(language), language, this.#candidate, {
      args,
      ...(stdin !== undefined && { stdin }),
    })
    const execution = run ?? compile
    if (execution === undefined) throw new Error('A recipe must run or fail to compile.')
    // Read now, before a check can touch them.
    const outputs: Record<string, Uint8Array> = {}
    for (const path of asked) {
      const content = await this.#sandbox.files.read(path).catch((error: unknown) => {
        if (MendloopError.is(error, 'FILE_UNAVAILABLE')) return undefined
        throw error
      })
      if (content !== undefined) outputs[path] = content
    }
    // What a check reads next to the program's outputs is what the caller handed in; `changes` tells what was done to it.
    await this.#files.restore()
    return { execution, outputs }
  }

  /** What is needed to compile and run; a tool that is missing ends the judging. */
  async #recipeHost(language: Language): Promise<RecipeHost> {
    const exec: RecipeHost['exec'] = (command, limits) => this.#exec(command, 'program', { limits })
    try {
      return await recipeHost(this.#scope, this.#sandbox, language, { limits: this.#limits, exec })
    } catch (error) {
      this.#fatal = toError(error)
      throw error
    }
  }

  /** Remembers what must end the judging, so that a verifier that swallows it cannot go on to pass. */
  async #exec(command: Command, purpose: ExecutionPurpose, options?: ExecOptions): Promise<ExecutionResult> {
    try {
      const merged = { ...options, limits: overlaid(this.#task.limits, options?.limits) }
      const result = await observedExec(this.#scope, this.#sandbox, this.#limits, command, purpose, merged)
      if (result.outcome.kind === 'lost') throw new JudgingLost(result.outcome.cause)
      this.#files.ran(result)
      return result
    } catch (error) {
      // A folder that the program turned into a link is its own doing, and the check's to report.
      if (MendloopError.is(error, 'PATH_REFUSED')) throw error
      this.#fatal = toError(error)
      throw error
    }
  }
}

/** What a verifier throws that is not its own fault. */
const isFatal = (error: unknown): boolean =>
  error instanceof RunEnd ||
  error instanceof JudgingLost ||
  MendloopError.is(error, 'SANDBOX_UNAVAILABLE') ||
  MendloopError.is(error, 'SANDBOX_CLOSED')
