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
  /** Places not looked at, or not to the end, sorted by path: of those `changes` may lack something. Absent: none. */
  readonly unseen?: readonly UnseenPlace[]
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

/** A place in a workspace that was not looked at, or not to the end, when an execution was over. */
export interface UnseenPlace {
  /** Path of a file, or of a folder with all that is in it; `.` for the workspace. */
  readonly path: string
  /**
   * `closed`: the program has taken the rights to it away; `too-deep`, `too-many`: beyond what the sandbox takes in;
   * `aborted`: the caller had no more patience, after the program had ended.
   */
  readonly reason: 'closed' | 'too-deep' | 'too-many' | 'aborted'
}

/** A file that an execution created, modified or deleted. */
export interface FileChange {
  /**
   * Path within the workspace, with forward slashes. The name is the program's own; bytes in it that are not UTF-8 are
   * U+DC80 to U+DCFF, as in Python, so that `files.read` finds it again.
   */
  readonly path: string
  /** What happened to it. */
  readonly kind: 'created' | 'modified' | 'deleted'
  /**
   * What it is where it is no regular file: a symbolic link, or a pipe, a socket, a device. `files.list` leaves those out
   * and `files.read` refuses them. Absent for a regular file, a deleted one, and where the sandbox does not know.
   */
  readonly type?: 'link' | 'special'
  /** Size afterwards, in bytes, for a link that of its target's name; absent when deleted. */
  readonly sizeBytes?: number
  /**
   * SHA-256 of the content afterwards, in hex; absent when deleted, when it is not a readable regular file, or when it
   * is more than the sandbox hashes after one execution.
   */
  readonly sha256?: string
}
