// One failure as pytest prints it → the exception: long and short tracebacks, those of Python itself, single lines.
import { type PrintedException, type PrintedFrame, parseTracebacks } from '../python-traceback.js'
import { matchLine } from '../reported.js'
import type { PrintedFailure } from './test-output.js'
import { withoutTraceback } from './unittest-output.js'

const CAPTURED = /^-+ (?:Captured .+|live log .+|generated xml file.*) -+$/u
const CONNECTOR =
  /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/u
const NATIVE = /^(?: {2}\+ Exception Group )?Traceback \(most recent call last\):$/u
/** `path:12: in name` of a short traceback; `path:12: Error` and `path:12: ` below the source of a long one. */
const PLACE = /^(\S(?:.*?\S)?):(\d+): ?(?:in (\S.*)|([\p{L}_][\p{L}\p{N}_.]*)|())$/u
const SAID = /^E(?: {3}|$)(.*)$/u
const DEFINITION = /^[ >] {3}(?:async )?def ([\p{L}_][\p{L}\p{N}_]*)/u
const MARKS = /^ +[\^~]+$/u
const LOCAL = /^ {0,8}([\p{L}_][\p{L}\p{N}_]*) +=\s(.+)$/u
/** What stands at the end of each entry of `--tb=line`. */
const LINE = /^(\/.*?|[A-Za-z]:\\.*?|[^\s:]+):(\d+): +(\S.*)$/u

const SAME_CALLS = 3

/** A call of which no name is told; without one it would be taken for the place of a syntax error. */
const asCall = (frame: PrintedFrame): PrintedFrame => ({ ...frame, function: frame.function ?? '<module>' })

/** The lines of the entries of `--tb=line`, which have no titles. */
export function readPytestLines(
  lines: readonly string[],
): readonly { readonly said: string; readonly lines: readonly string[] }[] {
  const entries: { said: string; lines: string[] }[] = []
  let open: string[] = []
  for (const line of lines) {
    const [, file, row, said = ''] = matchLine(LINE, line) ?? []
    if (file === undefined || matchLine(PLACE, line)?.[3] !== undefined) {
      open.push(line)
      continue
    }
    // The message is told above; here only the place counts.
    entries.push({ said, lines: [...open, `${file}:${row}: `] })
    open = []
  }
  return entries
}

/** Reads what stands below the title of a failure. */
export function readPytestBlock(
  lines: readonly string[],
): Omit<Extract<PrintedFailure, { raised: unknown }>, 'test'> {
  const captured = lines.findIndex((line) => CAPTURED.test(line))
  const last =
    captured === -1 ? undefined : lines.slice(captured).findLast((line) => matchLine(PLACE, line) !== null)
  const body = captured === -1 ? lines : lines.slice(0, captured)
  const native = body.findIndex((line) => NATIVE.test(line))
  if (native !== -1) {
    const raised = parseTracebacks(body.slice(native).join('\n'), { omittedBytes: 0 }).at(-1)
    if (raised !== undefined) return { raised, isCheck: isCheck(raised) }
  }
  // Below what was captured stands where a failure of --tb=line is.
  const isLine = !body.some((line) => matchLine(PLACE, line) !== null)
  return readParts(isLine && last !== undefined ? [...body, last] : body)
}

function readParts(body: readonly string[]): Omit<Extract<PrintedFailure, { raised: unknown }>, 'test'> {
  let raised: PrintedException | undefined
  let locals: Readonly<Record<string, string>> = {}
  let start = 0
  for (let index = 0; index <= body.length; index++) {
    if (index < body.length && !CONNECTOR.test(body[index] ?? '')) continue
    const entry = new Entry()
    for (const line of body.slice(start, index)) entry.read(line)
    raised = entry.exception(raised)
    locals = entry.locals
    start = index + 1
  }
  if (raised === undefined) return toldOnly(body.join('\n').trim())
  return { raised, isCheck: isCheck(raised), locals }
}

/** A failure of which only the message is known. */
export function toldOnly(text: string): Omit<Extract<PrintedFailure, { raised: unknown }>, 'test'> {
  const raised = withoutTraceback(/^assert\b/u.test(text) ? `AssertionError: ${text}` : text)
  return { raised, isCheck: isCheck(raised) }
}

const isCheck = ({ type, message }: PrintedException): boolean =>
  /(?:^|\.)(?:Failed|AssertionError)$/u.test(type) || message.startsWith('[XPASS(strict)]')

/** One exception of a chain, line by line. */
class Entry {
  readonly #frames: PrintedFrame[] = []
  readonly #said: string[] = []
  readonly #free: string[] = []
  locals: Record<string, string> = {}
  #indent: number | undefined
  #type: string | undefined
  #function: string | undefined
  #source: string | undefined
  #marks: { at: number; carets: string } | undefined
  /** The call of a short traceback, whose source stands below it. */
  #short: PrintedFrame | undefined

  read(line: string): void {
    const said = line.length > 0 && SAID.exec(line)
    if (said) this.#message(line)
    else if (matchLine(PLACE, line) !== null) this.#place(line)
    else if (line.startsWith('>')) this.#sourceLine(line)
    else if (MARKS.test(line)) this.#markLine(line)
    else if (this.#short !== undefined && line.startsWith('    ')) this.#below(this.#short, line)
    else this.#other(line)
  }

  /** The exception that the lines tell of, raised from `cause`; `cause` itself when they tell of none. */
  exception(cause: PrintedException | undefined): PrintedException | undefined {
    const text =
      this.#said.join('\n').trimEnd() || (this.#frames.length > 0 ? '' : this.#free.join('\n').trim())
    if (text === '' && this.#frames.length === 0) return cause
    // A syntax error names its place within its message.
    const syntax = / {2}File ".+", line \d+\n/u.test(text)
      ? parseTracebacks(text.replace(/^ +(?=File )/u, '  '), { omittedBytes: 0 }).at(-1)
      : undefined
    const type = syntax?.type ?? this.#typeOf(text)
    const isBare = /^assert\b/u.test(text)
    return {
      type,
      message: syntax?.message ?? (isBare ? `${type}: ${text}` : text || type),
      frames: syntax === undefined ? this.#frames : [...this.#frames.map(asCall), ...syntax.frames],
      origin: 'main',
      members: [],
      ...(cause !== undefined && { cause }),
    }
  }

  #typeOf(text: string): string {
    const named = /^([\p{L}_][\p{L}\p{N}_.]*)(?::|$)/u.exec(text)?.[1]
    if (/^assert\b/u.test(text)) return 'AssertionError'
    return named ?? this.#type ?? 'AssertionError'
  }

  #message(line: string): void {
    // In a long traceback the message is indented as far as the line that failed.
    this.#indent ??= line.slice(1).search(/\S|$/u) - (/^E +File "/u.test(line) ? 2 : 0)
    const rest = line.slice(1)
    this.#said.push(rest.slice(Math.min(this.#indent, rest.search(/\S|$/u))))
    this.#short = undefined
  }

  #place(line: string): void {
    const [, file = '', row = '0', name, type] = PLACE.exec(line) ?? []
    const shown = name ?? this.#function
    const frame: PrintedFrame = { file, line: Number(row), ...(shown !== undefined && { function: shown }) }
    if (name === undefined) {
      if (this.#source !== undefined) frame.source = this.#source
      if (this.#marks !== undefined)
        Object.assign(frame, { caretsAt: this.#marks.at, carets: this.#marks.carets })
    }
    if (!this.#isEndless(frame)) this.#frames.push(frame)
    this.#short = name === undefined ? undefined : frame
    if (type !== undefined) this.#type = type
    this.#function = undefined
    this.#source = undefined
    this.#marks = undefined
  }

  /** Of endless recursion a few calls say all. */
  #isEndless({ file, line }: PrintedFrame): boolean {
    const last = this.#frames.slice(-SAME_CALLS)
    return last.length === SAME_CALLS && last.every((one) => one.file === file && one.line === line)
  }

  #sourceLine(line: string): void {
    this.#function ??= DEFINITION.exec(line)?.[1]
    this.#source = line.slice(1).trim()
    this.#indent = undefined
    this.#marks = undefined
    // Where the source line begins, so that marks can be counted from it.
    this.#sourceAt = line.length - line.slice(1).trimStart().length
  }

  #sourceAt = 0

  #markLine(line: string): void {
    const carets = line.trim()
    if (this.#short !== undefined) {
      if (this.#short.source !== undefined && this.#short.carets === undefined)
        Object.assign(this.#short, { caretsAt: line.length - carets.length - 4, carets })
    } else if (this.#source !== undefined && this.#said.length === 0)
      this.#marks = { at: line.length - carets.length - this.#sourceAt, carets }
  }

  #below(frame: PrintedFrame, line: string): void {
    if (frame.source === undefined) frame.source = line.trim()
  }

  #other(line: string): void {
    const [, local, value] = this.#said.length > 0 ? (matchLine(LOCAL, line) ?? []) : []
    if (local !== undefined && value !== undefined) this.locals[local] = value
    else if (this.#said.length === 0 || this.#isMore(line)) this.#more(line)
    this.#function ??= matchLine(DEFINITION, line)?.[1]
  }

  /** With --tb=line only the first line of a message is marked. */
  #isMore(line: string): boolean {
    return this.#frames.length === 0 && this.#source === undefined && line.startsWith('    ')
  }

  #more(line: string): void {
    if (this.#said.length > 0) this.#said.push(line.slice(4))
    else if (line.trim() !== '' && !/^\[gw\d+\] |^(?:_ )+/u.test(line)) this.#free.push(line)
  }
}
