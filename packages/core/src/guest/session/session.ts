// What a session is: code runs cell by cell, and what one cell defines the next one finds.
import type { CapturedText, Outcome } from '../../contract/execution.js'
import type { OutputChunk } from '../../contract/sandbox.js'

/** Languages that sessions exist for. */
export type SessionLanguage = 'python' | 'javascript'

/** A process in a sandbox that runs one cell after the other and keeps their variables. */
export interface Session extends AsyncDisposable {
  /** Unique within this process. */
  readonly id: string
  /** What its cells are written in. */
  readonly language: SessionLanguage
  /** What runs the cells: its version and executable file, as it says itself. */
  readonly runtime: SessionRuntime
  /** 1 at first, and one more each time that all variables were lost. */
  readonly epoch: number
  /**
   * Runs one cell; calls made meanwhile wait for their turn, in order.
   *
   * @returns what it did; an exception, a timeout and the death of the process are results
   * @throws MendloopError INVALID_OPTION; SANDBOX_CLOSED when the session or its sandbox is closed; SANDBOX_UNAVAILABLE
   *   when the language could not be started again after it had been lost
   */
  run(code: string, options?: CellOptions): Promise<CellResult>
  /** Interrupts the cell that runs now, whose outcome is `aborted` then; variables survive if it lets itself be interrupted. */
  interrupt(): void
  /** Ends the process with all that it started, and starts a fresh one; a cell that runs is `aborted`. */
  restart(): Promise<void>
  /** Ends it; cells that run or wait are `aborted`. Idempotent, takes at most two seconds, leaves the sandbox open. */
  close(): Promise<void>
}

/** What runs the cells of a session. */
export interface SessionRuntime {
  /** Such as `3.11.7`. */
  readonly version: string
  /** Path of the executable file within the sandbox. */
  readonly executable: string
}

/** How one cell should be run. */
export interface CellOptions {
  /** Time on the wall, in milliseconds. Default: the session's `cellMs`. */
  timeoutMs?: number
  /** Aborting interrupts the cell, or takes it out of the queue. */
  signal?: AbortSignal
  /** Called with output as it arrives, up to the output limit. What it throws is ignored. */
  onOutput?(chunk: OutputChunk): void
  /** File name that tracebacks show. Default: `<cell 1>`, `<cell 2>`, … */
  name?: string
}

/** What one cell did. */
export interface CellResult {
  /** How it ended: `exit` with code 0, or 1 after an exception, or what it left with; or what ended it. */
  readonly outcome: Outcome
  /** True for exit code 0 without an exception. */
  readonly ok: boolean
  /** What it wrote to standard output, by whatever means; what was written since the last cell comes first. */
  readonly stdout: CapturedText
  /** What it wrote to standard error. The traceback is not in it, but in `error`. */
  readonly stderr: CapturedText
  /** What it displayed, in order: `display()`, figures. */
  readonly displays: readonly MimeBundle[]
  /** Value of its last expression, unless that is nothing, or a semicolon follows it. */
  readonly value?: MimeBundle
  /** The exception that ended it. */
  readonly error?: CellError
  /** Wall time, in milliseconds. */
  readonly durationMs: number
  /** The session's epoch in which it ran. */
  readonly epoch: number
  /** Present when this cell cost the session all its variables: nothing is replayed, and the next cell runs in a fresh process. */
  readonly lost?: SessionLoss
  /** Present in the first cell that ran in a fresh process after a loss. */
  readonly restarted?: SessionLoss
  /** Displays that came in excess of what one cell may show. Absent: none. */
  readonly omittedDisplays?: number
}

/** A value in the forms it can be shown in. */
export interface MimeBundle {
  /** Content by MIME type: text as it is, pictures in Base64. `text/plain` is always there. */
  readonly data: Readonly<Record<string, string>>
  /** What the object says of its forms. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Forms that were too large to send, with their size in bytes. */
  readonly omitted?: Readonly<Record<string, number>>
}

/** An exception of a cell. */
export interface CellError {
  /** Its type as the language names it, such as `ValueError` or `json.decoder.JSONDecodeError`. */
  readonly name: string
  /** What it says. */
  readonly message: string
  /** From the outermost frame to the one that raised it; none of the session's own. Of very many, the middle is missing. */
  readonly frames: readonly CellFrame[]
  /** As the language prints it. */
  readonly traceback: string
  /** The exception that this one was raised from, or while handling. */
  readonly cause?: Omit<CellError, 'traceback'>
}

/** A place in a traceback. */
export interface CellFrame {
  /** File, or name of the cell. */
  readonly path: string
  /** 1-based line of the code as it was written. */
  readonly line: number
  /** Function; `<module>` for the cell itself, empty where there is none. */
  readonly function: string
  /** The line of source, without its indent; empty where it is not known. */
  readonly source: string
  /** Values of its variables as short texts, when they were asked for. */
  readonly locals?: Readonly<Record<string, string>>
}

/** All variables of a session are gone. */
export interface SessionLoss {
  /**
   * `exit`, `signal`: the process ended; `unresponsive`: a cell did not let itself be interrupted; `restart`: it was
   * asked for; `spoilt`: a cell wrote to the session's own channel; `lost`: the infrastructure broke.
   */
  readonly reason: 'exit' | 'signal' | 'unresponsive' | 'restart' | 'spoilt' | 'lost'
  /** What happened and which variables are gone, for the model to read. */
  readonly message: string
  /** Names that had been there after the last cell that came to its end. */
  readonly variables: readonly string[]
}
