// What an execution did, as data.
import type { Guarantees } from './sandbox.js'

/** How an execution ended. The cause is recorded by the host before it kills, not guessed from an exit code. */
export type Outcome =
  | {
      /** It ended by itself. */
      kind: 'exit'
      /** Its exit code; 0 is success. */
      code: number
    }
  | {
      /** A signal ended it that the host did not send. */
      kind: 'signal'
      /** Its name, such as `SIGSEGV`. */
      signal: string
    }
  | {
      /** The host ended it at a limit of time. */
      kind: 'timeout'
      /** Which clock ran out. */
      clock: 'wall' | 'cpu'
      /** The limit, in milliseconds. */
      limitMs: number
    }
  | {
      /** It was ended at a limit of something else. */
      kind: 'resource'
      /** Of what. */
      limit: 'memory' | 'disk' | 'output' | 'processes'
    }
  | {
      /** A policy did not let it run, or ended it. */
      kind: 'denied'
      /** Which rule. */
      rule: string
    }
  | {
      /** The caller's signal ended it. */
      kind: 'aborted'
    }
  | {
      /** The infrastructure broke: the program's fate is unknown, and never blamed on it. */
      kind: 'lost'
      /** What happened, as a sentence. */
      cause: string
    }

/** What one execution did. */
export interface ExecutionResult {
  /** How it ended. */
  readonly outcome: Outcome
  /** True for exit code 0 (and, in a session, no exception). */
  readonly ok: boolean
  /** Standard output, kept on every outcome. */
  readonly stdout: CapturedText
  /** Standard error, kept on every outcome. */
  readonly stderr: CapturedText
  /** Wall time from start to end, in milliseconds. */
  readonly durationMs: number
  /** What it used, where the sandbox can measure it. */
  readonly usage: ResourceUsage
  /** Files that differ from before, sorted by path. */
  readonly changes: readonly FileChange[]
  /** What was enforced while it ran. */
  readonly guarantees: Guarantees
  /** `compile` when this was the compiler's run and the program itself was not started. Absent: the program ran. */
  readonly step?: 'compile'
  /** True when processes it started were found and could not be ended. Absent: none were found. */
  readonly leftover?: boolean
}

/** What an execution used; unknown is `undefined`, never 0. */
export interface ResourceUsage {
  /** Processor time, in milliseconds. */
  cpuMs?: number
  /** Highest resident memory, in bytes. */
  peakMemoryBytes?: number
}

/** Bounded output of one stream: head and tail are kept, the middle goes first. */
export interface CapturedText {
  /** The text; when cut, a line in the middle says how many bytes were left out. */
  readonly text: string
  /** Bytes the program wrote, kept or not. */
  readonly bytes: number
  /** True when some of them are not in `text`. */
  readonly truncated: boolean
  /** How many. */
  readonly omittedBytes: number
}

/** A file that an execution created, modified or deleted. */
export interface FileChange {
  /** Path within the workspace, with forward slashes. */
  readonly path: string
  /** What happened to it. */
  readonly kind: 'created' | 'modified' | 'deleted'
  /** Size afterwards, in bytes; absent when deleted. */
  readonly sizeBytes?: number
  /** SHA-256 of the content afterwards, in hex; absent when deleted, or when it is not a readable regular file. */
  readonly sha256?: string
}
