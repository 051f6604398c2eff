// The one error class. A result says what a program did; a MendloopError says that the machinery broke or was misused.

/** Why a model request failed, in words that do not depend on the provider. */
export type ModelFailureReason =
  | 'auth'
  | 'rate-limit'
  | 'overloaded'
  | 'context-length'
  | 'bad-request'
  | 'unsupported-feature'
  | 'refused'
  | 'stalled'
  | 'truncated-stream'
  | 'malformed-response'
  | 'server-error'
  | 'connection'

/** Why an archive was refused. */
export type ArchiveRefusalReason =
  | 'not-an-archive'
  | 'corrupt'
  | 'encrypted'
  | 'unsupported'
  | 'bad-name'
  | 'conflict'
  | 'link'
  | 'special-file'
  | 'too-many-entries'
  | 'too-large'
  | 'too-compressed'

/** What each error code carries. `docs/errors.md` has one heading per key. */
export interface MendloopErrorDetails {
  /** An option, argument or task field was wrong: unknown key, wrong type, out of range. */
  INVALID_OPTION: {
    /** Path of the option, such as `limits.wallMs`. */
    option: string
    /** What would have been accepted. */
    expected: string
    /** What was given, shortened. */
    received: string
  }
  /** The sandbox could not be created or could not be reached at all. */
  SANDBOX_UNAVAILABLE: {
    /** Id of the provider. */
    sandbox: string
    /** What stood in the way. */
    reason: string
  }
  /** Something was asked of a sandbox by name that it cannot do or enforce here. */
  SANDBOX_UNSUPPORTED: {
    /** What was asked for. */
    requested: string
    /** What would provide it. */
    remedy: string
  }
  /** The sandbox lacks the compiler or interpreter of a language. Nothing was run. */
  TOOLCHAIN_MISSING: {
    /** Id of the language. */
    language: string
    /** The program that is missing or too old, such as `rustc`. */
    tool: string
    /** How to get it, as words for people. */
    remedy: string
  }
  /** The machine offers less isolation than the caller's minimum. */
  ISOLATION_UNAVAILABLE: {
    /** The weakest tier the caller accepts. */
    minimum: string
    /** The strongest tier that works here. */
    available: string
    /** The property that is missing. */
    property: string
    /** What to install or to ask for. */
    remedy: string
  }
  /** A sandbox was used after `close()`. */
  SANDBOX_CLOSED: {
    /** Id of the sandbox. */
    sandbox: string
  }
  /** A path leaves the workspace, or is not a path the workspace can hold. Nothing was written. */
  PATH_REFUSED: {
    /** The path as given. */
    path: string
    /** Which rule it breaks. */
    reason: string
  }
  /** A file that was asked for is not in the workspace, or is not a regular file. */
  FILE_UNAVAILABLE: {
    /** Path within the workspace. */
    path: string
    /** Why it cannot be read. */
    reason: string
  }
  /** An archive is damaged, too large, or holds what a workspace cannot or should not hold. Nothing was written. */
  ARCHIVE_REFUSED: {
    /** The kind of reason. */
    reason: ArchiveRefusalReason
    /** The entry it is about, as the archive names it, where it is about one. */
    entry?: string
  }
  /** The model's server refused, failed or could not be reached. */
  MODEL_REQUEST_FAILED: {
    /** Id of the model adapter. */
    model: string
    /** The kind of failure. */
    reason: ModelFailureReason
    /** HTTP status, where there was one. */
    status?: number
    /** How long the server asked to wait, in milliseconds. */
    retryAfterMs?: number
    /** What the model had said before the failure. */
    textSoFar?: string
  }
  /** A recorded or scripted model was asked for a reply that it does not hold. */
  RECORDING_EXHAUSTED: {
    /** Id of the model adapter. */
    model: string
    /** How many calls had been answered before. */
    answered: number
  }
  /** A run record or run state could not be read. */
  RECORD_INVALID: {
    /** 1-based line of the record, where known. */
    line?: number
    /** What is wrong with it. */
    reason: string
  }
  /** The caller's signal was aborted. */
  ABORTED: {
    /** What was going on. */
    during: 'model' | 'sandbox' | 'backoff'
  }
}

/** The closed set of error codes; stable across versions. */
export type MendloopErrorCode = keyof MendloopErrorDetails

/** What a {@link MendloopError} is made of besides its code and message. */
export interface MendloopErrorOptions<C extends MendloopErrorCode> {
  /** Facts for programs, in the shape the code decides. */
  details: MendloopErrorDetails[C]
  /** True when the same request may succeed later, false when it cannot, null when that is unknown. Default false. */
  retryable?: boolean | null
  /** The error underneath, kept as it was. */
  cause?: unknown
}

// Symbol.for, so that errors of two installed copies of this package recognise each other.
const BRAND = Symbol.for('@mendloop/core/MendloopError')

/** Every error that Mendloop throws: a stable `code`, a sentence that says what to do, the `cause` underneath. */
export class MendloopError<C extends MendloopErrorCode = MendloopErrorCode> extends Error {
  /** Always `MendloopError`. */
  override readonly name: string = 'MendloopError'
  /** What went wrong, for programs. */
  readonly code: C
  /** Facts in the shape that `code` decides. */
  readonly details: MendloopErrorDetails[C]
  /** True when the same request may succeed later, false when it cannot, null when that is unknown. */
  readonly retryable: boolean | null
  /** @internal */
  readonly [BRAND] = true

  /**
   * @param code - a key of {@link MendloopErrorDetails}
   * @param message - a sentence with the value that was wrong and what to do next; never a secret or a whole output
   */
  constructor(code: C, message: string, options: MendloopErrorOptions<C>) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryable = options.retryable === undefined ? false : options.retryable
  }

  /** True for a MendloopError from any copy of this package; with `code`, narrows `details`. */
  static is<C extends MendloopErrorCode = MendloopErrorCode>(
    value: unknown,
    code?: C,
  ): value is MendloopError<C> {
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false
    return code === undefined || (value as MendloopError).code === code
  }
}
