// What a C or C++ program prints when it fails: assertions, uncaught exceptions, the allocator's and sanitizers' findings.
import { matchLine, type ReportedError, type ReportedPlace, type ReportReader } from './reported.js'

const ASSERTION = /^(?:\S+: )?([^\s:][^:\n]*):(\d+): (.+?): Assertion [`'](.+)' failed\.$/mu
const TERMINATED =
  /^terminate called (?:after throwing an instance of '(.+)'|without an active exception)(?:\n {2}what\(\): {2}([\s\S]*))?/mu
const UNDEFINED = /^([^\s:][^:\n]*):(\d+):(?:(\d+):)? runtime error: (.+)$/gmu
const SANITIZER = /^==\d+==\s*ERROR: (\w+Sanitizer: .+)$/mu
/** A sanitizer keeps a map of all addresses; under a smaller limit it does not start. */
const NO_SHADOW = /^==\d+==\s*ERROR: (\w+Sanitizer) failed to allocate 0x[\da-f]+ \((\d+)\) bytes/mu
const SANITIZER_CALL = /^ +#\d+ 0x[\da-f]+ in (.+?) (\/\S+?|[^\s()]+):(\d+)(?::(\d+))?$/u
const CORRUPTED =
  /^(?:\*\*\* .+ \*\*\*: terminated|(?:free|malloc|realloc|munmap_chunk|double free|corrupted|malloc_consolidate)[ (].*)$/mu

/** Reads the last thing a native program said of its own failure. */
export const readNativeErrors: ReportReader = (text, outcome) => {
  const found =
    withoutShadow(text) ??
    sanitizerError(text) ??
    undefinedBehaviour(text) ??
    assertion(text) ??
    terminated(text) ??
    corrupted(text)
  const aborted = outcome.kind === 'signal' && outcome.signal === 'SIGABRT'
  const explains = found?.isCheck === true || aborted
  return { errors: found === undefined ? [] : [found.error], explains }
}

interface Found {
  readonly error: ReportedError
  /** A sanitizer ends the program in a way of its own. */
  readonly isCheck?: boolean
}

function assertion(text: string): Found | undefined {
  const [, file, line, name, condition] = ASSERTION.exec(text) ?? []
  if (file === undefined) return undefined
  const place = { file, line: Number(line), ...(name !== undefined && { function: name }) }
  return { error: { kind: 'assertion', message: `Assertion \`${condition}' failed`, frames: [place] } }
}

function terminated(text: string): Found | undefined {
  const match = TERMINATED.exec(text)
  if (match === null) return undefined
  const [, type = 'std::terminate', what] = match
  const message = what === undefined || what.trimEnd() === type ? type : `${type}: ${what.trimEnd()}`
  return { error: { kind: type === 'std::bad_alloc' ? 'resource' : 'exception', message } }
}

function undefinedBehaviour(text: string): Found | undefined {
  const match = [...text.matchAll(UNDEFINED)].at(-1)
  if (match === undefined) return undefined
  const [, file = '', line, column, said = ''] = match
  const place = { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) }
  return { error: { kind: 'exception', message: `runtime error: ${said}`, place }, isCheck: true }
}

function withoutShadow(text: string): Found | undefined {
  const [, name, bytes] = NO_SHADOW.exec(text) ?? []
  if (name === undefined) return undefined
  const message = `${name} could not have the ${bytes} bytes of address space that it needs within the memory limit`
  return { error: { kind: 'resource', message }, isCheck: true }
}

function sanitizerError(text: string): Found | undefined {
  const match = SANITIZER.exec(text)
  if (match === null) return undefined
  const frames: ReportedPlace[] = []
  for (const line of text.slice(match.index).split('\n').slice(1)) {
    const [, name = '', file = '', row, column] = matchLine(SANITIZER_CALL, line) ?? []
    if (row !== undefined)
      frames.unshift({
        file,
        line: Number(row),
        function: name,
        ...(column !== undefined && { column: Number(column) }),
      })
    // The first stack is that of the fault; those of the allocation come after a blank line.
    if (line.trim() === '' && frames.length > 0) break
  }
  return { error: { kind: 'exception', message: match[1] ?? '', frames }, isCheck: true }
}

function corrupted(text: string): Found | undefined {
  const message = CORRUPTED.exec(text)?.[0]
  return message === undefined ? undefined : { error: { kind: 'exception', message } }
}
