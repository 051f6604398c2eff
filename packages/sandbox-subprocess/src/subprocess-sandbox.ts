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
  invalidOption,
  onAbort,
  parseOptions,
  toCommandObject,
} from '@mendloop/core/adapter'
import { ChangeTracker } from './change-tracker.js'
import { EXECUTION_MARKER } from './descendants.js'
import { toDuplex } from './duplex.js'
import { HOST_MARKER, hostId } from './guardian.js'
import { type InputFile, openInput } from './input-file.js'
import { guarantees, limitScript, mergeLimits, requireEnforceable } from './limits.js'
import { errorCode } from './open-within.js'
import { type PrivateFolder, removePrivateFolder, restorePrivateFolder } from './private-folder.js'
import { type Program, toProgram } from './program.js'
import { type Launch, type RunningProcess, startProcess } from './running-process.js'
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
      input = stdin === undefined ? undefined : await openInput(this.#parts.folder.root, stdin)
      this.#ensureOpen()
      if (options.signal?.aborted) return { ...result({ outcome: ABORTED, durationMs: 0 }), changes: [] }
      const running = this.#start(prepared, input?.descriptor ?? 'ignore', options.signal, (stream, chunk) =>
        captures[stream].push(chunk),
      )
      input?.close()
      input = undefined
      const end = await running.ended
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
    const { folder, env, python } = this.#parts
    restorePrivateFolder(folder)
    const program = await toProgram(object, { isShell: typeof command === 'string', folder, python }, owner)
    return {
      program,
      owner,
      limits: mergeLimits(this.#parts.limits, options.limits),
      env: { ...env, ...object.env },
      stdin: object.stdin,
    }
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
    const running = startOrExplain(prepared.owner, {
      argv: posix ? ['/bin/sh', '-c', limitScript(limits), 'mendloop', ...program.argv] : program.argv,
      cwd: program.cwd,
      env: { ...prepared.env, [EXECUTION_MARKER]: execution, [HOST_MARKER]: hostId },
      stdin,
      covered: this.#parts.covered,
      limits,
      killGraceMs: this.#parts.killGraceMs,
      execution,
      // While another program runs here, an unmarked process may be that one's.
      strayFolder: () => (this.#running.size === 1 ? this.#parts.folder.root : undefined),
      onOutput,
    })
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
    for (const running of this.#running) running.stop(ABORTED)
    await Promise.allSettled([...this.#calls, ...[...this.#running].map(({ ended }) => ended)])
    await removePrivateFolder(this.#parts.folder)
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
}

function startOrExplain(owner: string, launch: Launch): RunningProcess {
  try {
    return startProcess(launch)
  } catch (error) {
    if (errorCode(error) === 'E2BIG')
      throw invalidOption(owner, 'argv', 'and variables together are longer than the system passes', {
        expected: 'at most about 2 MiB',
        received: 'more',
        hint: 'write the data to a file with files.write(), or pass it as stdin',
      })
    // Not enough memory or processes: nothing of the program has run.
    const cause = error instanceof Error ? error.message : String(error)
    return {
      stdin: null,
      stop: () => undefined,
      pause: () => undefined,
      ended: Promise.resolve({ outcome: { kind: 'lost', cause }, durationMs: 0, leftover: false }),
    }
  }
}
