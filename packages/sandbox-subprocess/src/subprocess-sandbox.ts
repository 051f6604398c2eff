// The adapter: contract in, contract out.
import {
  type Command,
  type ExecOptions,
  type ExecutionResult,
  type ForkRunner,
  type Guarantees,
  type Limits,
  MendloopError,
  type Outcome,
  type Sandbox,
  type SandboxProcess,
  type SpawnOptions,
  type WorkspaceFiles,
} from '@mendloop/core'
import { captureStreams, countOutput, execOptionsSchema, onAbort, parseOptions } from '@mendloop/core/adapter'
import { ChangeTracker } from './change-tracker.js'
import { toDuplex } from './duplex.js'
import type { Engine, EngineLaunch } from './engine.js'
import { withGrace } from './patience.js'
import {
  makeReady,
  type Prepared,
  prepareExecution,
  type SubprocessSandboxParts,
} from './prepare-execution.js'
import { restorePrivateFolder } from './private-folder.js'
import { type ProcessEnd, type RunningProcess, toldDurationMs } from './running-process.js'
import { lostProcess, neverRan } from './start-or-explain.js'
import { workspaceFiles } from './workspace-files.js'

const ABORTED: Outcome = { kind: 'aborted' }

/** A private folder in which programs run, however its engine starts them. */
export class SubprocessSandbox implements Sandbox {
  readonly id: string
  readonly workdir: string
  readonly guarantees: Guarantees
  readonly limits: Readonly<Limits>
  readonly environment: Readonly<Record<string, string>>
  /** Present where programs are forks of a runner. */
  readonly runner?: () => Promise<ForkRunner>
  readonly files: WorkspaceFiles
  readonly #parts: SubprocessSandboxParts
  readonly #engine: Engine
  readonly #tracker: ChangeTracker
  readonly #running = new Set<RunningProcess>()
  /** Whole calls, from the first check to the last hash. */
  readonly #calls = new Set<Promise<unknown>>()
  readonly #forgetSignal: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(parts: SubprocessSandboxParts) {
    const { engine } = parts
    this.#parts = parts
    this.#engine = engine
    this.id = parts.id
    this.guarantees = engine.guarantees
    this.limits = Object.freeze({ ...parts.limits })
    this.environment = Object.freeze({ ...parts.env })
    this.workdir = engine.folder.inside.workspace
    this.#tracker = new ChangeTracker(engine.folder.workspace)
    this.files = workspaceFiles(engine.folder, this.#tracker, () => this.#ensureOpen())
    if (engine.runner !== undefined) this.runner = () => this.#track(this.#runner())
    this.#forgetSignal = parts.signal && onAbort(parts.signal, () => void this.close())
  }

  exec(command: Command, options: ExecOptions = {}): Promise<ExecutionResult> {
    return this.#track(this.#exec(command, options))
  }

  spawn(command: Command, options: SpawnOptions = {}): Promise<SandboxProcess> {
    return this.#track(this.#spawn(command, options))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #exec(command: Command, options: ExecOptions): Promise<ExecutionResult> {
    const prepared = await this.#prepare(
      command,
      parseOptions(execOptionsSchema, options, 'exec()'),
      'exec()',
    )
    const { limits, program } = prepared
    let running: RunningProcess | undefined
    const output = captureStreams(limits, options.onOutput, (outcome) => running?.stop(outcome, true))
    const result = (end: Omit<ProcessEnd, 'leftover'>): Omit<ExecutionResult, 'changes'> => ({
      outcome: end.outcome,
      ok: end.outcome.kind === 'exit' && end.outcome.code === 0,
      ...output.finish(),
      durationMs: toldDurationMs(end),
      usage: end.usage ?? {},
      guarantees: this.guarantees,
    })
    const start = async (ready: Prepared): Promise<ProcessEnd> => {
      running = await this.#startWithInput(ready, options.signal, output.push)
      return await running.ended
    }
    try {
      const isUnwanted = (): boolean => options.signal?.aborted === true || this.#closing !== undefined
      const before = await this.#tracker.before(isUnwanted)
      this.#ensureOpen()
      if (options.signal?.aborted) return { ...result({ outcome: ABORTED, durationMs: 0 }), changes: [] }
      let end = await start(prepared)
      // Somebody has killed a process of the sandbox in which nothing of it had run yet.
      if (end.hasNotRun && !isUnwanted())
        end = await start({ ...prepared, lost: await makeReady(this.#engine) })
      restorePrivateFolder(this.#engine.folder)
      const changes = await this.#tracker.changesSince(before, withGrace(isUnwanted))
      return { ...result(end), ...changes, ...(end.leftover && { leftover: true }) }
    } finally {
      program.dispose()
    }
  }

  async #startWithInput(
    prepared: Prepared,
    signal: AbortSignal | undefined,
    onOutput: EngineLaunch['onOutput'],
  ): Promise<RunningProcess> {
    const { stdin, lost } = prepared
    const input = stdin === undefined || lost !== undefined ? undefined : await this.#engine.openInput(stdin)
    try {
      this.#ensureOpen()
      return this.#start(prepared, input?.stdin ?? 'ignore', signal, onOutput)
    } finally {
      input?.close()
    }
  }

  async #spawn(command: Command, options: SpawnOptions): Promise<SandboxProcess> {
    const prepared = await this.#prepare(
      command,
      parseOptions(execOptionsSchema, options, 'spawn()'),
      'spawn()',
    )
    this.#ensureOpen()
    return toDuplex((onOutput) => {
      const count = countOutput(prepared.limits.totalOutputBytes, (outcome) => running.stop(outcome, true))
      const running = this.#start(prepared, 'pipe', options.signal, (stream, chunk) => {
        onOutput(stream, chunk)
        count(chunk)
      })
      if (prepared.stdin !== undefined) running.stdin?.end(prepared.stdin)
      void running.ended.then(() => prepared.program.dispose())
      return running
    })
  }

  async #prepare(command: Command, options: ExecOptions, owner: string): Promise<Prepared> {
    this.#ensureOpen()
    return await prepareExecution(command, options, owner, this.#parts)
  }

  async #runner(): Promise<ForkRunner> {
    this.#ensureOpen()
    const runner = await this.#engine.runner?.()
    this.#ensureOpen()
    if (runner === undefined) throw new Error('unreachable: asked of an engine without a runner')
    return runner
  }

  /** Starts the program and keeps account of it until it has ended. */
  #start(
    { program, owner, env, limits, lost }: Prepared,
    stdin: EngineLaunch['stdin'],
    signal: AbortSignal | undefined,
    onOutput: EngineLaunch['onOutput'],
  ): RunningProcess {
    // It may have been aborted while everything was made ready.
    if (signal?.aborted) return neverRan(ABORTED)
    if (lost !== undefined) return lostProcess(`the program ${lost}`)
    const { killGraceMs } = this.#parts
    const running = this.#engine.start({ program, owner, env, limits, stdin, killGraceMs, onOutput })
    this.#running.add(running)
    const forget = signal && onAbort(signal, () => running.stop(ABORTED))
    void running.ended.then(() => {
      this.#running.delete(running)
      forget?.()
    })
    return running
  }

  async #close(): Promise<void> {
    this.#forgetSignal?.()
    for (const running of this.#running) running.stop(ABORTED, true)
    await Promise.allSettled([...this.#calls, ...[...this.#running].map(({ ended }) => ended)])
    await this.#engine.close()
  }

  #ensureOpen(): void {
    if (this.#closing === undefined) return
    throw new MendloopError(
      'SANDBOX_CLOSED',
      `The sandbox ${this.id} is closed. Open another with create().`,
      {
        details: { sandbox: this.id },
      },
    )
  }

  #track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call)
    const forget = (): void => void this.#calls.delete(call)
    call.then(forget, forget)
    return call
  }
}
