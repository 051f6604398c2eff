// The one warm runner of each sandbox: the sandbox's own, or one that core starts in it; started anew when it is lost.
import { z } from 'zod'
import { MendloopError } from '../../contract/errors.js'
import type { ForkRunner, PreparedRunner, RunnerPreparation } from '../../contract/fork-runner.js'
import type { CommandObject, Limits, Sandbox, SandboxProcess } from '../../contract/sandbox.js'
import type { RunnerSetup } from './runner-setup.js'
import { startRunner } from './start-runner.js'

/** A sandbox that cannot start its first runner is tried so many times. */
const MOST_FAILURES = 2
/** A runner lives as long as its sandbox. */
const LONG_MS = 365 * 24 * 3600 * 1000
/** The runner itself is held to little, because no execution can be given more than it has. */
const GENEROUS: Partial<Limits> = {
  wallMs: LONG_MS,
  memoryBytes: 2 ** 46,
  fileBytes: 2 ** 46,
  openFiles: 4096,
}
const TMP_BYTES = 64 * 1024 * 1024
const SHM_BYTES = 16 * 1024 * 1024
/** What interpreters and tools need under Landlock, besides the runner's own interpreter. */
const SYSTEM_FOLDERS = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt'],
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/etc/ssl'],
]

/** A runner, and the variables that its programs start from. */
export interface ReadyRunner {
  readonly runner: ForkRunner
  readonly environment: Readonly<Record<string, string>>
}

/** What is known of the runner of one sandbox. */
export class SandboxRunner {
  static readonly #known = new WeakMap<Sandbox, SandboxRunner>()

  /** The one of this sandbox. */
  static of(sandbox: Sandbox): SandboxRunner {
    const known = SandboxRunner.#known.get(sandbox) ?? new SandboxRunner(sandbox)
    SandboxRunner.#known.set(sandbox, known)
    return known
  }

  readonly #sandbox: Sandbox
  /** The one that core has started. */
  #started: Promise<ForkRunner> | undefined
  readonly #watched = new WeakSet<ForkRunner>()
  #failures = 0
  #hasHadRunner = false
  #environment: Promise<Readonly<Record<string, string>>> | undefined
  readonly #preload = new Set<string>()
  /** What a runner was lost over while it imported them: they are not asked for again. */
  readonly #spoilt = new Set<string>()
  #spares = 0
  /** What each runner was last asked to prepare. */
  readonly #prepared = new WeakMap<ForkRunner, { asked: string; ready: Promise<PreparedRunner> }>()

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /**
   * The runner, with these packages and those that were asked for before.
   *
   * @returns undefined when this sandbox has never had one and cannot start one
   * @throws MendloopError SANDBOX_CLOSED
   */
  async get(preload: readonly string[] = []): Promise<ReadyRunner | { unavailable: string } | undefined> {
    if (this.#failures >= MOST_FAILURES && !this.#hasHadRunner) return undefined
    try {
      const runner = await this.#open()
      if (runner === undefined) return undefined
      this.#environment ??= this.#askForEnvironment()
      const environment = await this.#environment
      for (const name of preload) if (!this.#spoilt.has(name)) this.#preload.add(name)
      if (this.#preload.size > 0 || this.#spares > 0) await this.#bringUpToDate(runner)
      return { runner, environment }
    } catch (error) {
      if (!MendloopError.is(error, 'SANDBOX_UNAVAILABLE') && !MendloopError.is(error, 'SANDBOX_UNSUPPORTED'))
        throw error
      this.#failures++
      return this.#hasHadRunner ? { unavailable: error.message } : undefined
    }
  }

  /**
   * Prepares this runner, and each that comes after it.
   *
   * @throws MendloopError SANDBOX_UNSUPPORTED, SANDBOX_UNAVAILABLE, SANDBOX_CLOSED
   */
  async prepare({ preload = [], spares }: RunnerPreparation): Promise<PreparedRunner> {
    const runner = await this.#open()
    if (runner === undefined) {
      const remedy = 'a sandbox with runner() or spawn()'
      throw new MendloopError(
        'SANDBOX_UNSUPPORTED',
        `The sandbox ${this.#sandbox.id} cannot keep a warm interpreter. Leave prepareRunner() out, or use ${remedy}.`,
        { details: { requested: 'prepareRunner()', remedy } },
      )
    }
    for (const name of preload) this.#preload.add(name)
    this.#spares = spares ?? this.#spares
    return await this.#bringUpToDate(runner)
  }

  async #open(): Promise<ForkRunner | undefined> {
    const { runner, spawn } = this.#sandbox
    if (runner === undefined && spawn === undefined) return undefined
    if (runner !== undefined) return this.#watch(await runner.call(this.#sandbox))
    this.#started ??= this.#start()
    try {
      return this.#watch(await this.#started)
    } catch (error) {
      this.#started = undefined
      throw error
    }
  }

  #watch(runner: ForkRunner): ForkRunner {
    if (this.#watched.has(runner)) return runner
    this.#watched.add(runner)
    this.#hasHadRunner = true
    void runner.lost.then(() => {
      this.#started = undefined
    })
    return runner
  }

  #start(): Promise<ForkRunner> {
    const setup: RunnerSetup = {
      confinement: 'auto',
      workspace: this.#sandbox.workdir,
      readOnly: SYSTEM_FOLDERS,
      // What the sandbox leaves open stays open, so that a program finds the same as with exec().
      network: this.#sandbox.guarantees.network !== 'denied',
      tmpBytes: TMP_BYTES,
      shmBytes: SHM_BYTES,
    }
    return startRunner((command) => this.#spawn(command), setup, { sandbox: this.#sandbox.id })
  }

  async #spawn(command: CommandObject): Promise<SandboxProcess> {
    const { limits } = this.#sandbox
    const open = async (asked: Partial<Limits>): Promise<SandboxProcess> => {
      const started = await this.#sandbox.spawn?.(command, { limits: asked })
      if (started === undefined) throw new Error('the sandbox has lost its spawn()')
      return started
    }
    try {
      return await open({ ...GENEROUS, ...(limits?.cpuMs !== undefined && { cpuMs: LONG_MS }) })
    } catch (error) {
      if (!MendloopError.is(error, 'SANDBOX_UNSUPPORTED') && !MendloopError.is(error, 'INVALID_OPTION'))
        throw error
      // Not every sandbox lets one process have more than the others.
      return await open({ wallMs: LONG_MS })
    }
  }

  async #askForEnvironment(): Promise<Readonly<Record<string, string>>> {
    if (this.#sandbox.environment !== undefined) return this.#sandbox.environment
    const argv = ['python3', '-I', '-S', '-E', '-B', '-c', ENVIRONMENT_PROGRAM]
    const { ok, stdout } = await this.#sandbox.exec({ argv })
    const parsed = ok ? environmentSchema.safeParse(jsonOf(stdout.text)) : undefined
    if (parsed?.success) return withoutMarkers(parsed.data)
    this.#environment = undefined
    throw new MendloopError(
      'SANDBOX_UNAVAILABLE',
      `The sandbox ${this.#sandbox.id} does not say which variables its programs start from. Its "python3" has to run.`,
      { details: { sandbox: this.#sandbox.id, reason: 'its environment could not be read' } },
    )
  }

  #bringUpToDate(runner: ForkRunner): Promise<PreparedRunner> {
    const wanted = { preload: [...this.#preload], spares: this.#spares }
    const asked = JSON.stringify(wanted)
    const known = this.#prepared.get(runner)
    if (known?.asked === asked) return known.ready
    const ready = runner.prepare(wanted).catch((error: unknown) => {
      if (MendloopError.is(error, 'SANDBOX_UNAVAILABLE')) {
        for (const name of wanted.preload) this.#spoilt.add(name)
        this.#preload.clear()
      }
      // The next one asks anew.
      this.#prepared.delete(runner)
      throw error
    })
    this.#prepared.set(runner, { asked, ready })
    return ready
  }
}

const ENVIRONMENT_PROGRAM = 'import json, os; print(json.dumps(dict(os.environ)))'
const environmentSchema = z.record(z.string(), z.string())

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What marks that one execution is nothing that others should carry. */
const withoutMarkers = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('MENDLOOP_')))
