// What a promise of a sandbox is: a sentence, when it is claimed, and a probe that throws a sentence when it is broken.
import type { Guarantees, Sandbox, SandboxOptions, SandboxProvider } from '../../contract/sandbox.js'

/** The themes by which promises are told. */
export type ConformanceGroup =
  | 'programs'
  | 'output'
  | 'deadlines'
  | 'limits'
  | 'aborts'
  | 'files'
  | 'links'
  | 'changes'
  | 'walls'
  | 'company'
  | 'closing'
  | 'spawn'
  | 'runner'
  | 'honesty'

/** One promise of a sandbox. */
export interface ConformanceCase {
  /** The promise, as a sentence without its subject: `ends a program at the wall limit`. Unique. */
  readonly name: string
  /** Where it is told. */
  readonly group: ConformanceGroup
  /** What the probe is made of: nothing but files, the shell, or Python as well. Default `shell`. */
  readonly needs?: 'nothing' | 'shell' | 'python'
  /** After this long it counts as broken. Default: that of the options, 30 000. */
  readonly deadlineMs?: number
  /** True when the sandbox claims it, else the reason why it is skipped. Absent: every sandbox promises it. */
  readonly requires?: (facts: ConformanceFacts) => true | string
  /** Probes it; throws a sentence when the promise is broken. */
  check(context: ConformanceContext): Promise<void>
}

/** Members of a sandbox that it may have. */
export type OptionalMember =
  | 'spawn'
  | 'runner'
  | 'snapshot'
  | 'files.readRange'
  | 'files.readStream'
  | 'files.writeStream'

/** What is known of a sandbox before the first case. */
export interface ConformanceFacts {
  /** What it claims. */
  readonly guarantees: Guarantees
  /** Optional members that it has. */
  readonly members: ReadonlySet<OptionalMember>
  /** True when it runs shell programs, else what happened instead. */
  readonly shell: true | string
  /** True when it runs Python programs, else what happened instead. */
  readonly python: true | string
  /** What the caller gave of the world outside. */
  readonly host: ConformanceHost | undefined
}

/** What a case works with. */
export interface ConformanceContext {
  /** Under test. */
  readonly provider: SandboxProvider
  /** What is known of it. */
  readonly facts: ConformanceFacts
  /** Name of the Python interpreter inside. */
  readonly python: string
  /** Time allowed beyond a wall limit, in milliseconds. */
  readonly overrunMs: number
  /** Bytes of a flood. */
  readonly floodBytes: number
  /** Opens a sandbox, which is closed after the case. */
  open(options?: SandboxOptions): Promise<Sandbox>
  /** Has something done after the case, last in first out, before the sandboxes are closed. */
  afterwards(undo: () => void | Promise<void>): void
}

/** Things outside of every sandbox that a program must not reach; core itself opens no socket. */
export interface ConformanceHost {
  /** Opens servers on this machine. */
  listen(): Promise<ConformanceServer>
}

/** Servers outside of every sandbox. */
export interface ConformanceServer {
  /** TCP port on 127.0.0.1. */
  readonly port: number
  /** Path of a unix socket, where there is one. */
  readonly socketPath?: string
  /** Name of an abstract unix socket, without its leading NUL, where there is one. */
  readonly abstractName?: string
  /** How many connections were made to any of them. */
  connections(): number
  /** Ends them. */
  close(): Promise<void>
}

/** How a kit is run. */
export interface ConformanceOptions {
  /** Name of the Python interpreter inside. Default `python3`; without it, cases that need it are skipped by name. */
  python?: string
  /** Servers outside; without them, the cases of the network that need them are skipped by name. */
  host?: ConformanceHost
  /** Time that each case may take, unless it names its own, in milliseconds. Default 30 000. */
  deadlineMs?: number
  /** Time allowed beyond a wall limit until everything is gone, in milliseconds. Default 1 000; more on a busy machine. */
  overrunMs?: number
  /** Bytes that a flood of output has. Default 1 GiB. */
  floodBytes?: number
}

/** What became of one case. */
export interface ConformanceResult {
  /** The promise. */
  readonly name: string
  /** Where it is told. */
  readonly group: ConformanceGroup
  /** `skipped`: not claimed, or not probed; never a pass. */
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped, as a sentence; absent when it passed. */
  readonly reason?: string
  /** How long it took, in milliseconds. */
  readonly durationMs: number
}

/** What became of all of them. */
export interface ConformanceReport {
  /** Id of the provider. */
  readonly provider: string
  /** What its sandboxes claim; absent when none could be opened. */
  readonly guarantees?: Guarantees
  /** Each case, in order. */
  readonly results: readonly ConformanceResult[]
  /** How many kept their promise. */
  readonly passed: number
  /** How many broke it. */
  readonly failed: number
  /** How many were not probed. */
  readonly skipped: number
}
