// All tools for a Python program: its own compiler, Ruff, and a type checker where one is asked for.
import { parser } from '@lezer/python'
import { inWords } from '../../contract/foreign-values.js'
import { sourceLines } from '../../language/excerpt.js'
import { parsesAsPython } from '../../language/python-syntax.js'
import type { CheckedProgram } from './checked-program.js'
import { type FoundBy, ran, type ToolResult } from './finding.js'
import { askPython, type CompilerAnswer } from './python-compiler.js'
import { pythonTypes, TYPE_CHECKERS } from './python-types.js'
import { ruffInSandbox, ruffOnHost } from './ruff.js'

/** Runs them; a program that does not parse is not asked about its types. */
export async function checkPython(
  program: CheckedProgram,
  types: boolean | 'auto',
): Promise<readonly ToolResult[]> {
  const { sandbox } = program
  const inSandbox = sandbox === undefined ? undefined : { ...program, sandbox }
  const nobody: Pick<CompilerAnswer, 'minor' | 'tools'> & { readonly result?: ToolResult } = { tools: [] }
  const { result, minor, tools } =
    inSandbox === undefined ? nobody : await askPython(inSandbox, ['ruff', ...TYPE_CHECKERS])
  const results: ToolResult[] = result === undefined ? [] : [result]
  const known = { minor }
  const ruff =
    inSandbox !== undefined && tools.includes('ruff') ? await ruffInSandbox(inSandbox, known) : undefined
  if (ruff?.status === 'ran') results.push(ruff)
  else {
    // The sandbox's is preferred because it may be newer, not because it would be needed.
    const host = await ruffOnHost(program, known)
    results.push(host.status === 'not-available' && ruff !== undefined ? ruff : host)
  }
  // Of a text that is too deep for the others, the grammar here knows nothing either.
  if (!results.some(({ status, finds }) => status !== 'not-available' && finds.includes('syntax')))
    results.push(parseHere(program))
  const broken = results.some(({ findings }) => findings.some(({ kind }) => kind === 'syntax'))
  if (types !== false && !broken) {
    const typed = await pythonTypes(program, tools)
    if (types === true || typed.status !== 'not-available') results.push(typed)
  }
  return results
}

/** When nobody else can tell: the grammar here, which errs on the side of yes. */
export function parseHere({ files }: CheckedProgram): ToolResult {
  const findings = Object.entries(files).flatMap(([path, text]): FoundBy[] => {
    if (parsesAsPython(text)) return []
    const before = sourceLines(text.slice(0, firstError(text)))
    const at = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    const message = 'The text does not parse as Python from here on.'
    return [{ tool: 'parser', rule: 'syntax', kind: 'syntax', severity: 'error', message, path, ...at }]
  })
  return ran({ tool: 'parser', finds: ['syntax'], where: 'host' }, findings)
}

const strictParser = parser.configure({ strict: true })

/** Where the grammar first finds no sense, as an index. */
function firstError(text: string): number {
  try {
    return strictParser.parse(text).length
  } catch (error) {
    // A strict parser reports an error by throwing, with the place in words.
    return Number(/\bat (\d+)$/u.exec(inWords(error))?.[1] ?? text.length)
  }
}
