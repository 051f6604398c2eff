// The stack traces of Java.
import type { FailureKind } from '../contract/verify.js'
import { matchLine, type ReportedError, type ReportedPlace, type ReportReader } from './reported.js'

const HEAD = /^Exception in thread "(.*?)" (.*)$/u
const HEADS = /^Exception in thread "/mu
/** What the virtual machine says on standard output, before or in the place of anything of the program. */
const NOT_BEGUN =
  /^(?:\[[\d.,]+s\]\[warning\].*\n)*Error occurred during initialization of VM\n(java\.lang\.OutOfMemoryError: .*|.*(?:[Mm]emory|heap|reserve|allocate).*)/u
const CAUSE = /^(\s*)Caused by: (.*)$/u
const SUPPRESSED = /^\s+Suppressed: (.*)$/u
const CALL = /^\s+at (?:([\w.@-]+)\/{1,2})?(.+)\.([\w$<>-]+)\(([^():]+?)(?::(\d+))?\)$/u
const MORE = /^\s+\.\.\. \d+ more$/u
const LAUNCHER =
  /^Error: (?:Could not find or load main class|Main method not found in class|.* while loading main class)/mu
const NO_MEMORY =
  /^# There is insufficient memory for the Java Runtime Environment.*$|^Error: Could not (?:reserve|allocate) .*$/mu
const EXPECTED = /expected:? ?<([\s\S]*?)> but was:? ?<([\s\S]*?)>/u
const MOST_CAUSES = 10

/** Reads what the launcher or uncaught exceptions said; that of the main thread stands first. */
export const readJavaErrors: ReportReader = (text, outcome, stdout) => {
  const refused = launcherError(text) ?? (HEADS.test(text) ? undefined : machineError(stdout))
  if (refused !== undefined) return { errors: [refused], explains: true }
  const lines = text.split('\n')
  const heads = lines.flatMap((line, index) => (HEAD.test(line) ? [index] : []))
  const raised = heads.map((start, index) => {
    const [, thread = '', said = ''] = HEAD.exec(lines[start] ?? '') ?? []
    const body = [said, ...lines.slice(start + 1, heads[index + 1] ?? lines.length)]
    return { thread, error: readThrowable(body) }
  })
  const main = raised.filter(({ thread }) => thread === 'main').at(-1)
  const others = raised.filter((one) => one !== main)
  const errors = [...(main === undefined ? [] : [main]), ...others].map(({ error }) => error)
  return { errors, explains: main !== undefined && outcome.kind === 'exit' && outcome.code === 1 }
}

function machineError(stdout: string): ReportedError | undefined {
  const message = NOT_BEGUN.exec(stdout)?.[1] ?? NO_MEMORY.exec(stdout)?.[0].replace(/^# /u, '')
  return message === undefined ? undefined : { kind: 'resource', message }
}

function launcherError(text: string): ReportedError | undefined {
  const memory = NO_MEMORY.exec(text)?.[0]
  if (memory !== undefined) return { kind: 'resource', message: memory.replace(/^# /u, '') }
  const start = text.search(LAUNCHER)
  if (start === -1) return undefined
  return { kind: 'missing-entry', message: text.slice(start).trimEnd() }
}

/** The first line is `type: message`; calls follow, then the cause with calls of its own. */
function readThrowable(lines: readonly string[], depth = 0): ReportedError {
  const end = lines.findIndex(
    (line) => matchLine(CALL, line) !== null || CAUSE.test(line) || MORE.test(line) || SUPPRESSED.test(line),
  )
  const cause = lines.findIndex((line) => CAUSE.exec(line)?.[1] === '')
  const own = lines.slice(0, cause === -1 ? lines.length : cause)
  const said = own.slice(0, end === -1 ? own.length : end)
  const suppressed = own.flatMap((line) => SUPPRESSED.exec(line)?.[1] ?? [])
  const message = [said.join('\n').trimEnd(), ...suppressed.map((one) => `suppressed: ${one}`)].join('\n')
  // The calls of what was suppressed stand deeper.
  const calls = own.filter((line) => /^\tat /u.test(line))
  const kind = kindOf(message)
  const [, expected, actual] = matchLine(EXPECTED, message) ?? []
  return {
    kind,
    message,
    frames: calls.flatMap(frameOf).reverse(),
    ...(kind === 'assertion' && expected !== undefined && { expected }),
    ...(kind === 'assertion' && actual !== undefined && { actual }),
    ...(cause !== -1 && depth < MOST_CAUSES && { cause: readThrowable(causeLines(lines, cause), depth + 1) }),
  }
}

const causeLines = (lines: readonly string[], at: number): readonly string[] => [
  CAUSE.exec(lines[at] ?? '')?.[2] ?? '',
  ...lines.slice(at + 1),
]

function kindOf(message: string): FailureKind {
  const type = message.split(/[:\n]/u, 1)[0] ?? ''
  if (type === 'java.lang.OutOfMemoryError') return 'resource'
  if (/(?:AssertionError|AssertionFailedError|ComparisonFailure)$/u.test(type)) return 'assertion'
  return /\.(?:NoClassDefFoundError|ClassNotFoundException)$/u.test(type) ? 'import' : 'exception'
}

function frameOf(line: string): readonly ReportedPlace[] {
  const match = matchLine(CALL, line)
  if (match === null) return []
  const [, module, type = '', method = '', source = '', row] = match
  const place = { line: Number(row ?? 0), function: `${type}.${method}` }
  // Classes of the platform come out of a module; their sources may be called as the program's are.
  if (module !== undefined || row === undefined) return [{ ...place, file: `<${module ?? source}>` }]
  const folder = type.includes('.') ? `${type.slice(0, type.lastIndexOf('.')).replaceAll('.', '/')}/` : ''
  return [{ ...place, file: `${folder}${source}` }]
}
