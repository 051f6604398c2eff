// The adapter: contract in, contract out.
import {
  type Command,
  type ExecOptions,
  type ExecutionResult,
  type Limits,
  MendloopError,
  type Outcome,
  type Sandbox,
  type SandboxProcess,
  type SpawnOptions,
  type WorkspaceFiles,
} from '@mendloop/core'
import {
  captureOutput,
  execOptionsSchema,
  onAbort,
  parseOptions,
  toCommandObject,
} from '@mendloop/core/adapter'
import { ChangeTracker } from './change-tracker.js'
import { EXECUTION_MARKER, endDescendants } from './descendants.js'
import { toDuplex } from './duplex.js'
import { ensureGuardian, HOST_MARKER, hostId } from './guardian.js'
import { type InputFile, openInput } from './input-file.js'
import { guarantees, limitScript, mergeLimits, requireEnforceable } from './limits.js'
import { type PrivateFolder, removePrivateFolder, restorePrivateFolder } from './private-folder.js'
import { type Program, requirePassable, toProgram } from './program.js'
import type { Launch, RunningProcess } from './running-process.js'
import { lostProcess, startOrExplain } from './start-or-explain.js'
import { workspaceFiles } from './workspace-files.js'

const ABORTED: Outcome = { kind: 'aborted' }

/** What a sandbox is made of. */
export interface SubprocessSandboxParts {
  readonly id: string
  readonly folder: PrivateFolder
  /** What every program starts from. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  readonly killGraceMs: number
  readonly python: string | undefined
  /** The caller's variables have a PATH. */
  readonly hasOwnPath: boolean
  readonly covered: readonly (number | 'ignore')[]
  readonly signal: AbortSignal | undefined
}

/** A private folder in which child processes run. */
export class SubprocessSandbox implements Sandbox {
  readonly id: string
  readonly workdir: string
  readonly guarantees = guarantees
  readonly files: WorkspaceFiles
  readonly #parts: SubprocessSandboxParts
  readonly #tracker: ChangeTracker
  readonly #running = new Set<RunningProcess>()
  /** Whole calls, from the first check to the last hash. */
  readonly #calls = new Set<Promise<unknown>>()
  readonly #forgetSignal: (() => void) | undefined
  /** The first to start since nothing was running: all that overlap have started after it. */
  #oldest = { pid: 0, startedAt: 0 }
  #executions = 0
  #closing: Promise<void> | undefined

  constructor(parts: SubprocessSandboxParts) {
    this.#parts = parts
    this.id = parts.id
    this.workdir = parts.folder.workspace
    this.#tracker = new ChangeTracker(this.workdir)
    this.files = workspaceFiles(parts.folder, this.#tracker, () => this.#ensureOpen())
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
    const { limits, program, stdin } = prepared
    const live = (stream: 'stdout' | 'stderr') =>
      options.onOutput && ((text: string) => options.onOutput?.({ stream, text }))
    const captures = {
      stdout: captureOutput(limits.outputBytes, live('stdout')),
      stderr: captureOutput(limits.outputBytes, live('stderr')),
    }
    const result = (end: { outcome: Outcome; durationMs: number }): Omit<ExecutionResult, 'changes'> => ({
      outcome: end.outcome,
      ok: end.outcome.kind === 'exit' && end.outcome.code === 0,
      stdout: captures.stdout.finish(),
      stderr: captures.stderr.finish(),
      durationMs: end.durationMs,
      usage: {},
      guarantees,
    })
    let input: InputFile | undefined
    try {
      const before = await this.#tracker.before()
      input =
        stdin === undefined || prepared.lost !== undefined
          ? undefined
          : await openInput(this.#parts.folder.root, stdin)
      this.#ensureOpen()
      if (options.signal?.aborted) return { ...result({ outcome: ABORTED, durationMs: 0 }), changes: [] }
      const running = this.#start(prepared, input?.descriptor ?? 'ignore', options.signal, (stream, chunk) =>
        captures[stream].push(chunk),
      )
      input?.close()
      input = undefined
      const end = await running.ended
      restorePrivateFolder(this.#parts.folder)
      const changes = await this.#tracker.changesSince(before)
      return { ...result(end), changes, ...(end.leftover && { leftover: true }) }
    } finally {
      input?.close()
      program.dispose()
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
      const running = this.#start(prepared, 'pipe', options.signal, onOutput)
      if (prepared.stdin !== undefined) running.stdin?.end(prepared.stdin)
      void running.ended.then(() => prepared.program.dispose())
      return running
    })
  }

  async #prepare(command: Command, options: ExecOptions, owner: string): Promise<Prepared> {
    this.#ensureOpen()
    requireEnforceable(options.limits)
    const object = toCommandObject(command, owner)
    const env = { ...this.#parts.env, ...object.env }
    requirePassable(env, owner)
    // Somebody may have killed it since the sandbox was opened.
    ensureGuardian()
    const lost = restorePrivateFolder(this.#parts.folder)
    const program =
      lost === undefined
        ? await toProgram(object, { ...this.#parts, isShell: typeof command === 'string' }, owner)
        : { argv: [], cwd: '', dispose: () => undefined }
    const limits = mergeLimits(this.#parts.limits, options.limits)
    return { program, owner, limits, env, stdin: object.stdin, ...(lost && { lost }) }
  }

  /** Starts the program and keeps account of it until it has ended. */
  #start(
    prepared: Prepared,
    stdin: Launch['stdin'],
    signal: AbortSignal | undefined,
    onOutput: Launch['onOutput'],
  ): RunningProcess {
    const execution = `${this.id}.${++this.#executions}`
    const { program, limits } = prepared
    const posix = process.platform !== 'win32'
    if (prepared.lost !== undefined) return lostProcess(`the program ${prepared.lost}`)
    const running = startOrExplain(prepared.owner, {
      argv: posix ? ['/bin/sh', '-c', limitScript(limits), 'mendloop', ...program.argv] : program.argv,
      cwd: program.cwd,
      env: { ...prepared.env, [EXECUTION_MARKER]: execution, [HOST_MARKER]: hostId },
      stdin,
      covered: this.#parts.covered,
      limits,
      killGraceMs: this.#parts.killGraceMs,
      // While another program runs here, an unmarked process may be that one's: the last to end looks for all of them.
      descendants: (pid, durationMs) =>
        this.#running.size === 1
          ? { execution, folder: this.#parts.folder.root, ...this.#sinceOldest() }
          : { execution, folder: undefined, abovePid: pid, elapsedMs: durationMs },
      onOutput,
    })
    if (this.#running.size === 0) this.#oldest = { pid: running.pid ?? 0, startedAt: performance.now() }
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
    const { folder: own } = this.#parts
    for (const running of this.#running) running.stop(ABORTED, true)
    await Promise.allSettled([...this.#calls, ...[...this.#running].map(({ ended }) => ended)])
    if (this.#executions > 0)
      await endDescendants({ execution: `${this.id}.`, folder: own.root, abovePid: 0, elapsedMs: 0 })
    await removePrivateFolder(own)
  }

  #sinceOldest(): { abovePid: number; elapsedMs: number } {
    return { abovePid: this.#oldest.pid, elapsedMs: performance.now() - this.#oldest.startedAt }
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

interface Prepared {
  readonly program: Program
  readonly owner: string
  readonly limits: Limits
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | Uint8Array | undefined
  /** Why nothing can be started. */
  readonly lost?: string
}
