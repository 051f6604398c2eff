// The panics of Rust, and the error that main returned.
import type { FailureKind } from '../contract/verify.js'
import type { ReportedError, ReportedPlace, ReportReader } from './reported.js'

const PANIC = /^thread '(.*)' (?:\(\d+\) )?panicked at (.+):(\d+):(\d+):$/u
const MESSAGE_END = /^(?:stack backtrace:|note: run with )/u
const CALL = /^ +\d+: +(?:0x[\da-f]+ - )?(.+)$/u
const SOURCE = /^ +at (.+?):(\d+)(?::(\d+))?$/u
const OVERFLOW = /^thread '.*' (?:\(\d+\) )?has overflowed its stack$/mu
const NO_MEMORY = /^memory allocation of \d+ bytes failed$/mu
const RETURNED = /^Error: [\s\S]+$/mu
const COMPARED = /\n {2}left: (.*)\n {1,2}right: (.*)$/u
const PANICKED_CODE = 101

/** Reads panics, that of the main thread first, or whatever else ended the program. */
export const readRustErrors: ReportReader = (text, outcome) => {
  const lines = text.split('\n')
  const fatal = fatalError(text, lines)
  if (fatal !== undefined && outcome.kind === 'signal') return { errors: [fatal], explains: true }
  const starts = lines.flatMap((line, index) => (PANIC.test(line) ? [index] : []))
  const panics = starts.map((start, index) =>
    readPanic(lines.slice(start, starts[index + 1] ?? lines.length)),
  )
  const main = panics.filter(({ thread }) => thread === 'main').at(-1)
  const code = outcome.kind === 'exit' ? outcome.code : undefined
  const returned = code === 1 ? RETURNED.exec(text)?.[0] : undefined
  if (returned !== undefined)
    return { errors: [{ kind: 'exception', message: returned.trimEnd() }], explains: true }
  const others = panics.filter((one) => one !== main).reverse()
  const errors = [...(main === undefined ? [] : [main]), ...others].map(({ error }) => error)
  return { errors, explains: code === PANICKED_CODE || outcome.kind === 'signal' }
}

function fatalError(text: string, lines: readonly string[]): ReportedError | undefined {
  const memory = NO_MEMORY.exec(text)?.[0]
  if (memory !== undefined) return { kind: 'resource', message: memory, frames: framesOf(lines) }
  const overflow = OVERFLOW.exec(text)?.[0].replace(/ \(\d+\)/u, '')
  return overflow === undefined ? undefined : { kind: 'exception', message: `stack overflow: ${overflow}` }
}

function readPanic(lines: readonly string[]): { thread: string; error: ReportedError } {
  const [, thread = '', file = '', row, column] = PANIC.exec(lines[0] ?? '') ?? []
  const end = lines.findIndex((line) => MESSAGE_END.test(line))
  const said = lines
    .slice(1, end === -1 ? lines.length : end)
    .join('\n')
    .trimEnd()
  const kind: FailureKind = /^assertion\b/u.test(said) ? 'assertion' : 'exception'
  const [, actual, expected] = COMPARED.exec(said) ?? []
  const error = {
    kind,
    message: `panicked: ${said}`,
    place: { file, line: Number(row), column: Number(column) },
    frames: framesOf(lines),
    ...(kind === 'assertion' && expected !== undefined && { expected }),
    ...(kind === 'assertion' && actual !== undefined && { actual }),
  }
  return { thread, error }
}

/** The calls of the first backtrace, outermost first. */
function framesOf(lines: readonly string[]): readonly ReportedPlace[] {
  const frames: ReportedPlace[] = []
  for (const [index, line] of lines.entries()) {
    const name = CALL.exec(line)?.[1]
    if (name === undefined) continue
    const [, file = '<unknown>', row, column] = SOURCE.exec(lines[index + 1] ?? '') ?? []
    frames.unshift({
      file,
      line: Number(row ?? 0),
      function: name,
      ...(column !== undefined && { column: Number(column) }),
    })
  }
  return frames
}
