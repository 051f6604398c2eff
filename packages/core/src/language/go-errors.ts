// The panics and fatal errors of Go.
import type { ReportedError, ReportedPlace, ReportReader } from './reported.js'

/** The runtime itself may be what crashes, most often for want of memory. */
const HEAD = /^(?:panic|fatal error|SIG[A-Z]+): /u
/** What stands below the message. */
const STACKS = /^(?:goroutine \d+.*\[.*\]:|runtime stack:|\[signal |PC=0x)/u
const GOROUTINE = /^goroutine \d+.*\[.*\]:$/u
const CALL = /^(?:created by (\S+)(?: in goroutine \d+)?|(.+)\([^()]*\))$/u
const SOURCE = /^\t(.+?):(\d+)(?: |$)/u
const NESTED = /^\t+(?:re)?panic: /u
const MOST_CAUSES = 10
const NO_MEMORY = /^(?:runtime: )?(?:out of memory|cannot allocate memory)|\bout of memory\b/u

/** Reads the panic, or the fatal error, that ended a program; the panics before it are its causes. */
export const readGoErrors: ReportReader = (text, outcome) => {
  const lines = text.split('\n')
  const goroutine = lines.findLastIndex((line) => GOROUTINE.test(line))
  const start = lines.findLastIndex((line, index) => index < goroutine && HEAD.test(line))
  if (start === -1) return beforeItsStart(lines)
  const stacks = lines.findIndex((line, index) => index > start && STACKS.test(line))
  const said = lines.slice(start, stacks === -1 ? lines.length : stacks)
  const error = readPanics(said, framesOf(lines.slice(start)))
  return { errors: [error], explains: outcome.kind === 'exit' && outcome.code === 2 }
}

/** The runtime may find too little memory for itself, when nothing of the program has run yet. */
function beforeItsStart(lines: readonly string[]): ReturnType<ReportReader> {
  const [message = '', , below = ''] = lines
  if (
    !/^fatal error: .*\b(?:out of memory|cannot allocate memory)\b/u.test(message) ||
    below !== 'runtime stack:'
  )
    return { errors: [], explains: false }
  return { errors: [{ kind: 'resource', message }], explains: true }
}

/** `panic: first`, then indented what was raised while it was dealt with. */
function readPanics(lines: readonly string[], frames: readonly ReportedPlace[]): ReportedError {
  const starts = lines.flatMap((line, index) => (index === 0 || NESTED.test(line) ? [index] : []))
  const messages = starts.map((start, index) =>
    lines
      .slice(start, starts[index + 1] ?? lines.length)
      .join('\n')
      .trim()
      .replace(/ \[recovered(?:, \w+)?\]$/u, ''),
  )
  const last = messages.at(-1) ?? ''
  const cause = messages
    .slice(-1 - MOST_CAUSES, -1)
    .reduce<ReportedError | undefined>(
      (before, message) => ({ kind: 'exception', message, ...(before !== undefined && { cause: before }) }),
      undefined,
    )
  const kind = NO_MEMORY.test(last.replace(HEAD, '')) ? 'resource' : 'exception'
  return { kind, message: last, frames, ...(cause !== undefined && { cause }) }
}

/** The calls of the first goroutine that is shown, which is the one that failed; outermost first. */
function framesOf(lines: readonly string[]): readonly ReportedPlace[] {
  const start = lines.findIndex((line) => GOROUTINE.test(line))
  const end = lines.findIndex((line, index) => index > start && line.trim() === '')
  const block = lines.slice(start + 1, end === -1 ? lines.length : end)
  const frames: ReportedPlace[] = []
  for (const [index, line] of block.entries()) {
    const [, created, called] = CALL.exec(line) ?? []
    const name = created ?? called
    const [, file, row] = SOURCE.exec(block[index + 1] ?? '') ?? []
    if (name !== undefined && file !== undefined) frames.unshift({ file, line: Number(row), function: name })
  }
  return frames
}
