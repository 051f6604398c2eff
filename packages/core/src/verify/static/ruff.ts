// Ruff: the sandbox's own, or the WebAssembly build in this process. No configuration of the workspace is read.
import { z } from 'zod'
import { inWords } from '../../contract/foreign-values.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { type CheckedProgram, columnIn } from './checked-program.js'
import { type FoundBy, notAvailable, ran, type ToolResult, toolFailed } from './finding.js'
import { isEvaluatedName } from './python-names.js'
import { GATING_RUFF_RULES, isToldRuffRule, RUFF_SELECTION } from './python-rules.js'
import { loadRuff, RUFF_REMEDY } from './ruff-wasm.js'
import { asArguments, ownPath, runSandboxTool } from './sandbox-tool.js'

/** Versions of Python beyond these are not known to every Ruff in use; 3.13 to all that are, 3.14 to the wasm build. */
const NEWEST_MINOR = { sandbox: 13, host: 14 } as const
/** Ruff's name of an error of syntax, now and before. */
const SYNTAX: ReadonlySet<string> = new Set(['invalid-syntax', 'E999'])

const placeSchema = z.object({ row: z.int().positive(), column: z.int().positive() })
const diagnosticFields = { code: z.string().nullable(), message: z.string() }
const wasmSchema = z.array(z.object({ ...diagnosticFields, start_location: placeSchema }))
const outputSchema = z.array(z.object({ ...diagnosticFields, filename: z.string(), location: placeSchema }))

/** What is known of the Python that will run the program. */
export interface RuffOptions {
  /** Its minor version; undefined when no sandbox told. */
  readonly minor: number | undefined
}

/** Asks the Ruff of the sandbox. */
export async function ruffInSandbox(
  program: CheckedProgram & { readonly sandbox: Sandbox },
  { minor = NEWEST_MINOR.sandbox }: RuffOptions,
): Promise<ToolResult> {
  const { files } = program
  const target = `py3${Math.min(minor, NEWEST_MINOR.sandbox)}`
  const argv = ['ruff', 'check', '--isolated', '--no-cache', '--exit-zero', '--output-format', 'json']
  argv.push('--select', selection(program).join(','), '--target-version', target, ...asArguments(files))
  return await runSandboxTool(
    { tool: 'ruff', finds: ['lint'], where: 'sandbox', argv, remedy: RUFF_REMEDY },
    program,
    (stdout) =>
      outputSchema.parse(JSON.parse(stdout)).flatMap(({ code, message, filename, location }): FoundBy[] => {
        const path = ownPath(files, filename)
        if (path === undefined) return []
        const column = columnIn(files[path], location.row, location.column, 'code-points')
        return finding(program, { code, message, path, line: location.row, column }, minor)
      }),
  )
}

/** Asks the WebAssembly build. Errors of syntax count only when no Python has told (`minor` is undefined). */
export async function ruffOnHost(program: CheckedProgram, { minor }: RuffOptions): Promise<ToolResult> {
  const tool = {
    tool: 'ruff',
    finds: minor === undefined ? (['lint', 'syntax'] as const) : (['lint'] as const),
    where: 'host',
  } as const
  const ruff = await loadRuff()
  if (ruff === undefined) return notAvailable(tool, `Ruff was not found: ${RUFF_REMEDY}.`)
  const target = `py3${Math.min(minor ?? NEWEST_MINOR.host, NEWEST_MINOR.host)}`
  const options = { 'target-version': target, lint: { select: selection(program) } }
  const findings: FoundBy[] = []
  try {
    const workspace = new ruff.Workspace(options, ruff.PositionEncoding.Utf16)
    for (const [path, text] of Object.entries(program.files))
      for (const { code, message, start_location: at } of wasmSchema.parse(workspace.check(text)))
        findings.push(...finding(program, { code, message, path, line: at.row, column: at.column }, minor))
    // After a crash it cannot be freed; that is left to the garbage collector.
    workspace.free()
  } catch (error) {
    // Text that is nested too deeply overflows its stack; the next text is checked as before.
    return toolFailed(tool, `Ruff could not check this program: ${inWords(error)}`)
  }
  return ran(tool, findings)
}

/** Broad selectors, which every version knows, and the codes that a caller asked for. */
const selection = ({ asked }: CheckedProgram): string[] => [
  ...RUFF_SELECTION,
  ...asked.filter((code) => /^[A-Z]{1,6}\d{1,4}$/u.test(code) && !/^TS\d/u.test(code)),
]

interface Diagnostic extends Pick<FoundBy, 'path' | 'line' | 'column' | 'message'> {
  readonly code: string | null
}

function finding(
  { files, asked }: CheckedProgram,
  { code, ...found }: Diagnostic,
  minor: number | undefined,
): FoundBy[] {
  if (code === null || SYNTAX.has(code)) {
    if (minor !== undefined) return []
    return [{ tool: 'ruff', rule: 'syntax', kind: 'syntax', severity: 'error', ...found }]
  }
  if (!isToldRuffRule(code) && !asked.includes(code)) return []
  const evaluated =
    code !== 'F821' || isEvaluatedName(files[found.path] ?? '', { ...found, minor: minor ?? 0 })
  const severity = GATING_RUFF_RULES.has(code) && evaluated ? 'error' : 'warning'
  return [{ tool: 'ruff', rule: code, kind: 'lint', severity, ...found }]
}
