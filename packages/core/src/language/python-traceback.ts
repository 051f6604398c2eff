// Python's stderr → the exceptions it holds, as Python printed them. Knows the printed form and nothing of the program.
import { groupRegion } from './python-exception-group.js'

/** A call in a printed traceback. */
export interface PrintedFrame {
  /** The file as Python named it. */
  readonly file: string
  /** 1-based line. */
  readonly line: number
  /** Name of the function; absent in a syntax error. */
  readonly function?: string
  /** The source line, trimmed. */
  source?: string
  /** Where in `source` the marks begin, 0-based. */
  caretsAt?: number
  /** The marks, such as `~~^~~`. */
  carets?: string
}

/** An exception as printed. */
export interface PrintedException {
  /** Such as `json.decoder.JSONDecodeError`. */
  readonly type: string
  /** The exception line with all that may belong to it: further lines of the message, notes. */
  readonly message: string
  /** The calls, outermost first. */
  readonly frames: readonly PrintedFrame[]
  /** Where it was printed: as the end of the program, as the end of a thread, or as something Python ignored. */
  readonly origin: 'main' | 'thread' | 'ignored'
  /** What it was raised from or during. */
  readonly cause?: PrintedException
  /** Of an exception group: the exceptions in it, those of inner groups included. */
  readonly members: readonly PrintedException[]
}

/** What is known of the text. */
export interface TracebackOptions {
  /** How many bytes were cut from its middle; 0 when it is whole. */
  readonly omittedBytes: number
}

const HEADER = /(?:Exception Group )?Traceback \(most recent call last\):$/u
const FRAME = /^ {2}File "(.+)", line (\d+)(?:, in (.+))?$/u
const CARETS = /^ +[~^][~^ ]*$/u
const EXCEPTION = /^([\p{L}_][\p{L}\p{N}_.<>]*)(?::(?: |$)|$)/u
// Where a header is missing, only a name that says it is an exception is taken for one.
const SURE_EXCEPTION =
  /^[\p{L}_][\p{L}\p{N}_.<>]*(?:Error|Exception|Exit|Interrupt|Warning|Group|Iteration)(?::|$)/u
const CONNECTOR =
  /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/u
const WARNING = /^\S.*:\d+: \w*Warning: /u
const IGNORED =
  /^(?:Exception ignored|Error in (?:atexit|sys\.)|Task exception was never retrieved|future: <)/u
const THREAD = /^Exception in thread /u
// A fault of the interpreter, and the rules that unittest draws.
const OTHER_END = /^(?:Fatal Python error: |[-=]{70}$)/u

interface Open {
  type?: string
  message: string[]
  frames: PrintedFrame[]
  origin: PrintedException['origin']
  cause?: PrintedException
  /** No header stood above it. */
  headless: boolean
}

/** The exceptions that were printed, in order; causes stand inside of what they caused. */
export function parseTracebacks(text: string, options: TracebackOptions): readonly PrintedException[] {
  return new TracebackReader(text.split('\n'), options.omittedBytes).read()
}

class TracebackReader {
  readonly #lines: readonly string[]
  readonly #omittedBytes: number
  readonly #found: PrintedException[] = []
  #open: Open | undefined
  #pendingCause: PrintedException | undefined
  #afterCut = false

  constructor(lines: readonly string[], omittedBytes: number) {
    this.#lines = lines
    this.#omittedBytes = omittedBytes
  }

  read(): readonly PrintedException[] {
    for (let index = 0; index < this.#lines.length; index++) {
      const line = this.#lines[index] ?? ''
      const region = groupRegion(this.#lines, index)
      if (region !== undefined) {
        this.#closeOpen()
        this.#found.push(this.#group(region.segments, this.#originAt(index)))
        index = region.end - 1
      } else if (HEADER.test(line)) {
        this.#closeOpen()
        this.#begin(this.#originAt(index), false)
      } else if (CONNECTOR.test(line)) this.#connect(index)
      else if (this.#isCut(line)) index += this.#cut(line)
      else if (this.#open === undefined) this.#outside(line, index)
      else if (this.#open.type === undefined) this.#inFrames(this.#open, line)
      else this.#inMessage(this.#open, line, index)
    }
    this.#closeOpen()
    return this.#found
  }

  #begin(origin: PrintedException['origin'], headless: boolean): Open {
    this.#open = {
      message: [],
      frames: [],
      origin,
      headless,
      ...(this.#pendingCause !== undefined && { cause: this.#pendingCause }),
    }
    this.#pendingCause = undefined
    return this.#open
  }

  #outside(line: string, index: number): void {
    const frame = FRAME.exec(line)
    if (frame === null) return
    // Without a header this is a syntax error, the rest of a cut traceback, or something printed by the program.
    if (frame[3] !== undefined && !this.#afterCut) return
    this.#inFrames(this.#begin(this.#originAt(index), true), line)
  }

  #inFrames(open: Open, line: string): void {
    const frame = FRAME.exec(line)
    const last = open.frames.at(-1)
    if (frame !== null) {
      const [, file = '', number = '', name] = frame
      open.frames.push({ file, line: Number(number), ...(name !== undefined && { function: name }) })
    } else if (line.startsWith('    ')) {
      if (last === undefined) return
      if (CARETS.test(line) && last.source !== undefined) {
        last.caretsAt ??= line.search(/[~^]/u) - 4
        last.carets ??= line.trim()
      } else last.source ??= line.trim()
    } else {
      const strict = open.headless || this.#afterCut
      const exception = strict && !SURE_EXCEPTION.test(line) ? null : EXCEPTION.exec(line)
      if (exception !== null) {
        open.type = exception[1] ?? ''
        open.message.push(line)
      } else if (open.headless && !line.startsWith(' ')) this.#open = undefined
    }
  }

  #inMessage(open: Open, line: string, index: number): void {
    const ends = IGNORED.test(line) || THREAD.test(line) || OTHER_END.test(line) || WARNING.test(line)
    const newStart = this.#afterCut && FRAME.test(line)
    if (!ends && !newStart) {
      open.message.push(line)
      return
    }
    this.#closeOpen()
    this.#outside(line, index)
  }

  /** What stood before is the cause of what follows, with or without a traceback of its own. */
  #connect(index: number): void {
    const hadMessage = this.#open?.type !== undefined
    this.#closeOpen()
    const bare = hadMessage ? undefined : this.#bareException(index)
    this.#pendingCause = bare ?? this.#found.pop()
  }

  /** An exception that was never raised has no traceback: only its line stands above the connecting sentence. */
  #bareException(index: number): PrintedException | undefined {
    const paragraph: string[] = []
    for (let at = index - 1; at >= 0 && paragraph.length < 20; at--) {
      const line = this.#lines[at] ?? ''
      if (line === '' && paragraph.length > 0) break
      if (line !== '') paragraph.unshift(line)
    }
    // Other lines may stand right above it, and further lines of its message below.
    const sure = paragraph.findLastIndex((line) => SURE_EXCEPTION.test(line))
    const first = sure === -1 ? paragraph.findIndex((line) => EXCEPTION.test(line)) : sure
    const type = EXCEPTION.exec(paragraph[first] ?? '')?.[1]
    if (type === undefined) return undefined
    const cause = this.#pendingCause
    return {
      type,
      message: paragraph.slice(first).join('\n'),
      frames: [],
      origin: 'main',
      members: [],
      ...(cause !== undefined && { cause }),
    }
  }

  #group(segments: readonly (readonly string[])[], origin: PrintedException['origin']): PrintedException {
    const parsed = segments.map((lines) => new TracebackReader(lines, 0).readMember())
    const [own, ...members] = parsed
    const cause = own?.cause ?? this.#pendingCause
    this.#pendingCause = undefined
    return {
      type: own?.type ?? 'ExceptionGroup',
      message: own?.message ?? 'ExceptionGroup',
      frames: own?.frames ?? [],
      origin,
      ...(cause !== undefined && { cause }),
      members: members.filter((member) => member !== undefined),
    }
  }

  /** A member of a group, which has no header when it was never raised. */
  readMember(): PrintedException | undefined {
    const hasHeader = this.#lines.some((line) => HEADER.test(line))
    if (!hasHeader) this.#begin('main', false)
    return this.read().at(-1)
  }

  #closeOpen(): void {
    const open = this.#open
    this.#open = undefined
    if (open?.type === undefined) return
    // The traceback of a worker process is handed on as a quoted text.
    const message = open.message
      .join('\n')
      .trimEnd()
      .replace(/\n"""$/u, '')
    const { type, frames, origin, cause } = open
    this.#found.push({ type, message, frames, origin, ...(cause !== undefined && { cause }), members: [] })
  }

  #isCut(line: string): boolean {
    return this.#omittedBytes > 0 && line.replace(/[\s,._']/gu, '').includes(String(this.#omittedBytes))
  }

  /** @returns how many further lines to leave out: the first after a cut is but the end of one */
  #cut(line: string): number {
    this.#afterCut = true
    if (this.#open?.type === undefined) return 1
    this.#open.message.push(line)
    return 0
  }

  #originAt(index: number): PrintedException['origin'] {
    if (this.#pendingCause !== undefined) return this.#pendingCause.origin
    let at = index - 1
    while (at >= 0 && (this.#lines[at] ?? '').trim() === '') at--
    const before = this.#lines[at] ?? ''
    return IGNORED.test(before) ? 'ignored' : THREAD.test(before) ? 'thread' : 'main'
  }
}
