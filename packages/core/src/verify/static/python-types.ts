// mypy, else pyright, as they are in the sandbox. Neither reads a configuration that the program could bring along:
// mypy's may name plugins, which are code.
import { z } from 'zod'
import type { Sandbox } from '../../contract/sandbox.js'
import { type CheckedProgram, columnIn } from './checked-program.js'
import { type FoundBy, notAvailable, type ToolResult } from './finding.js'
import { GATING_MYPY_CODES, GATING_PYRIGHT_RULES } from './python-rules.js'
import { asArguments, ownPath, runSandboxTool } from './sandbox-tool.js'

type InSandbox = CheckedProgram & { readonly sandbox: Sandbox }

const REMEDY = 'put mypy or pyright on the PATH of the sandbox (pip install mypy)'

/** Type checkers that are looked for, the first one found is asked. */
export const TYPE_CHECKERS = ['mypy', 'pyright'] as const

/** Asks the type checker that is there. */
export async function pythonTypes(program: CheckedProgram, present: readonly string[]): Promise<ToolResult> {
  const { sandbox } = program
  const name = TYPE_CHECKERS.find((one) => present.includes(one))
  if (sandbox === undefined || name === undefined)
    return notAvailable(
      { tool: 'mypy', finds: ['type'], where: 'sandbox' },
      sandbox === undefined
        ? `Python's types are checked in a sandbox, and none was given; ${REMEDY}.`
        : `Neither mypy nor pyright was found: ${REMEDY}.`,
    )
  const inSandbox = { ...program, sandbox }
  return await (name === 'mypy' ? runMypy(inSandbox) : runPyright(inSandbox))
}

const MYPY_FLAGS = [
  ...['--config-file=', '--cache-dir=/dev/null', '--no-incremental', '--no-error-summary'],
  ...[
    '--no-color-output',
    '--no-pretty',
    '--hide-error-context',
    '--show-column-numbers',
    '--show-error-codes',
  ],
  ...['--namespace-packages', '--explicit-package-bases', '--ignore-missing-imports', '--check-untyped-defs'],
]
const MYPY_LINE = /^(.+?):(\d+):(?:(\d+):)? (error|note): (.*?)(?: {2}\[([\w-]+)\])?$/u

async function runMypy(program: InSandbox): Promise<ToolResult> {
  const { files } = program
  return await runSandboxTool(
    {
      tool: 'mypy',
      finds: ['type'],
      where: 'sandbox',
      argv: ['mypy', ...MYPY_FLAGS, ...asArguments(files)],
      remedy: REMEDY,
    },
    program,
    (stdout) => {
      const lines = stdout.split('\n').filter((line) => line.trim() !== '')
      const read = lines.map((line) => MYPY_LINE.exec(line))
      if (lines.length > 0 && read.every((match) => match === null)) throw new Error('no line is a finding')
      return read.flatMap((match): FoundBy[] => {
        const [, named = '', row = '1', at = '1', severity, message = '', rule = 'misc'] = match ?? []
        const path = ownPath(files, named)
        if (path === undefined || severity !== 'error') return []
        const line = Number(row)
        const column = columnIn(files[path], line, Number(at), 'bytes')
        return [typed('mypy', { rule, message, path, line, column }, GATING_MYPY_CODES)]
      })
    },
  )
}

/** A configuration of our own stands nearer than any that the program has. */
const PYRIGHT_CONFIG = JSON.stringify({
  typeCheckingMode: 'standard',
  reportMissingImports: 'none',
  reportMissingModuleSource: 'none',
})
const pyrightSchema = z.object({
  generalDiagnostics: z.array(
    z.object({
      file: z.string(),
      severity: z.string(),
      message: z.string(),
      rule: z.string().optional(),
      range: z.object({ start: z.object({ line: z.int(), character: z.int() }) }).optional(),
    }),
  ),
})

async function runPyright(program: InSandbox): Promise<ToolResult> {
  const { files } = program
  return await runSandboxTool(
    {
      tool: 'pyright',
      finds: ['type'],
      where: 'sandbox',
      argv: ['pyright', '--outputjson', ...asArguments(files)],
      extra: { 'pyrightconfig.json': PYRIGHT_CONFIG },
      remedy: REMEDY,
    },
    program,
    (stdout) =>
      pyrightSchema.parse(JSON.parse(stdout)).generalDiagnostics.flatMap((one): FoundBy[] => {
        const path = ownPath(files, one.file)
        if (path === undefined || one.range === undefined || one.severity === 'information') return []
        const { line, character } = one.range.start
        const found = { rule: one.rule ?? 'error', message: one.message, path }
        return [typed('pyright', { ...found, line: line + 1, column: character + 1 }, GATING_PYRIGHT_RULES)]
      }),
  )
}

const typed = (
  tool: string,
  found: Omit<FoundBy, 'tool' | 'kind' | 'severity'>,
  gating: ReadonlySet<string>,
): FoundBy => ({ tool, kind: 'type', severity: gating.has(found.rule) ? 'error' : 'warning', ...found })
