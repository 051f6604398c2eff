// Runs a Python program in a sandbox, as fast as the sandbox can: forked from a warm interpreter where there is one.
import type { Outcome } from '../../contract/execution.js'
import type { PreparedRunner, RunnerPreparation } from '../../contract/fork-runner.js'
import { parseOptions } from '../../contract/options.js'
import { requireSandbox } from '../../contract/require-parts.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { onAbort } from '../../internal/on-abort.js'
import { preparationSchema } from './preparation.js'
import { limitsOf } from './program-result.js'
import {
  checkOptions,
  checkProgram,
  type ProgramResult,
  type ProgramRun,
  type RunProgramOptions,
} from './program-run.js'
import { runAsProcess } from './run-as-process.js'
import { resultOfNotRun, runInRunner } from './run-in-runner.js'
import { SandboxRunner } from './sandbox-runner.js'

/** A runner that is lost before it has run anything is tried once more. */
const TRIES = 2

/**
 * Runs a Python program in a workspace of its own, which is empty but for its files and gone afterwards.
 *
 * Where the sandbox has a warm interpreter, or core can start one in it, the program runs in a fork of that, which
 * costs a fraction of a start; elsewhere, or with more than 64 MiB of files, in a process of its own, with the same
 * result. Where such an interpreter has once been there and cannot be had any more, the outcome is `lost`. Either way it sees itself as
 * `python3 -u main.py` would show it, except that string hashes are seeded once a sandbox in forks.
 *
 * @param program - its files, or the text of its only one, `main.py`
 * @returns what it did; a crash, a non-zero exit, a timeout and a kill are results
 * @throws MendloopError SANDBOX_CLOSED, SANDBOX_UNSUPPORTED, INVALID_OPTION, PATH_REFUSED
 */
export async function runProgram(
  sandbox: Sandbox,
  program: string | ProgramRun,
  options: RunProgramOptions = {},
): Promise<ProgramResult> {
  requireSandbox(sandbox, 'runProgram()')
  const checked = checkProgram(program)
  const how = checkOptions(options)
  const limits = limitsOf(sandbox, options.limits)
  const warm = SandboxRunner.of(sandbox)
  const surroundings = { guarantees: sandbox.guarantees, limits }
  let notRun: Outcome | undefined
  for (let attempt = 0; attempt < TRIES && !options.signal?.aborted; attempt++) {
    const ready = await unlessAborted(warm.get(options.preload), options.signal)
    if (ready === undefined) break
    if ('unavailable' in ready) {
      notRun = { kind: 'lost', cause: ready.unavailable }
      continue
    }
    const result = await runInRunner(ready, checked, how, surroundings)
    if (result === undefined) break
    if (!('notRun' in result)) return result
    notRun = result.notRun
  }
  // Never in the workspace of all instead: what it is confined to must not depend on what others have broken.
  if (notRun !== undefined && !options.signal?.aborted) return resultOfNotRun(notRun, how, surroundings)
  return await runAsProcess(sandbox, checked, how)
}

/** What `promise` gives, or undefined as soon as the signal is aborted: a start may take seconds. */
async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return await promise
  let forget = (): void => undefined
  const aborted = new Promise<undefined>((resolve) => {
    forget = onAbort(signal, () => resolve(undefined))
  })
  // Whoever gives up waiting leaves no rejection behind.
  promise.catch(() => undefined)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    forget()
  }
}

/**
 * Readies the warm interpreter of a sandbox for {@link runProgram}: packages to load, processes to fork ahead. What was
 * asked for before stays, also for an interpreter that has to be started anew.
 *
 * @returns which packages are loaded, and why others are not
 * @throws MendloopError SANDBOX_UNSUPPORTED, SANDBOX_UNAVAILABLE, SANDBOX_CLOSED, INVALID_OPTION
 */
export async function prepareRunner(
  sandbox: Sandbox,
  preparation: RunnerPreparation = {},
): Promise<PreparedRunner> {
  const owner = 'prepareRunner()'
  requireSandbox(sandbox, owner)
  // Here, because what is asked for stays for the runs to come.
  return await SandboxRunner.of(sandbox).prepare(parseOptions(preparationSchema, preparation, owner))
}
