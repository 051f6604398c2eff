// The errors of rustc: a code, a message, a place, the lines with labels, then notes and help.
import type { FailureKind } from '../contract/verify.js'
import type { ReportedError, ReportedPlace, ReportReader } from './reported.js'

const HEAD = /^(error|warning)(?:\[(\w+)\])?: (.*)$/u
const PLACE = /^ *--> (.+):(\d+):(\d+)$/u
const SOURCE = /^ *(\d+) \|/u
const GUTTER = /^ *\| (.*)$/u
/** Bars and marks lead to a label; a line of bars, marks or proposed letters alone holds none. */
const LEAD = /^[\s|/_^-]*/u
const NO_LABEL = /^[+~.\s]*$/u
const ASIDE = /^(?: *= )?(note|help): (.+)$/u
const SUMMARY = /^(?:aborting due to|could not compile|\d+ (?:errors|warnings) emitted)/u
const IMPORTS = new Set(['E0432', 'E0433', 'E0463', 'E0583'])
const NO_MAIN = 'E0601'

/** Reads errors; warnings are left out. */
export const readRustcErrors: ReportReader = (text) => {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (HEAD.test(line) ? [index] : []))
  const errors = starts.flatMap((start, index) =>
    readBlock(lines.slice(start, starts[index + 1] ?? lines.length)),
  )
  return { errors, explains: true }
}

function readBlock([head = '', ...below]: readonly string[]): readonly ReportedError[] {
  const [, severity, code, said = ''] = HEAD.exec(head) ?? []
  if (severity !== 'error' || SUMMARY.test(said)) return []
  const end = below.findIndex((line) => /^(?:For more information|Some errors have)/u.test(line))
  const block = end === -1 ? below : below.slice(0, end)
  const at = block.findIndex((line) => PLACE.test(line))
  const [, file, row, column] = PLACE.exec(block[at] ?? '') ?? []
  const place =
    file === undefined
      ? undefined
      : { file, line: Number(row), column: Number(column), ...caretsAt(block.slice(at + 1), Number(row)) }
  return [
    {
      kind: kindOf(code, said),
      message: [head, ...details(block)].join('\n'),
      ...(place !== undefined && { place }),
    },
  ]
}

function kindOf(code: string | undefined, said: string): FailureKind {
  if (code === NO_MAIN) return 'missing-entry'
  if (code !== undefined) return IMPORTS.has(code) ? 'import' : 'type'
  return /^(?:cannot find|linking with|couldn't|this )/u.test(said) ? 'type' : 'syntax'
}

/** The labels that are written below lines, with the number of the line, and what stands beside them. */
function details(block: readonly string[]): readonly string[] {
  const found: string[] = []
  let line = ''
  for (const one of block) {
    line = SOURCE.exec(one)?.[1] ?? line
    const label = GUTTER.exec(one)?.[1]?.replace(LEAD, '') ?? ''
    const [, sort, aside] = ASIDE.exec(one) ?? []
    if (!NO_LABEL.test(label)) found.push(`  line ${line}: ${label}`)
    else if (aside !== undefined) found.push(`  ${sort}: ${aside}`)
    else if (/^ {6,}\S/u.test(one)) found.push(one)
  }
  return found
}

/** The marks below the line that is meant. */
function caretsAt(below: readonly string[], row: number): Pick<ReportedPlace, 'carets'> {
  const source = below.findIndex((line) => SOURCE.exec(line)?.[1] === String(row))
  const marks = source === -1 ? undefined : /\^+/u.exec(GUTTER.exec(below[source + 1] ?? '')?.[1] ?? '')?.[0]
  return marks === undefined ? {} : { carets: marks }
}
