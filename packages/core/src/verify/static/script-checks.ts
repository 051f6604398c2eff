// All tools for JavaScript and TypeScript: TypeScript in this process, else the sandbox's, else whoever can parse.
import type { CheckedProgram } from './checked-program.js'
import { notAvailable, type ToolResult } from './finding.js'
import { scriptSyntax } from './script-syntax.js'
import { tscInSandbox } from './tsc.js'
import { loadTypeScript, TYPESCRIPT_REMEDY } from './typescript.js'
import { type TypeScriptOptions, typescriptOnHost } from './typescript-host.js'

/** Runs them. Syntax is told even where TypeScript is not there, or could not do it. */
export async function checkScripts(
  program: CheckedProgram,
  options: TypeScriptOptions,
): Promise<readonly ToolResult[]> {
  const checked = await byTypeScript(program, options)
  if (checked.status === 'ran') return [checked]
  return [await scriptSyntax(program), checked]
}

async function byTypeScript(program: CheckedProgram, options: TypeScriptOptions): Promise<ToolResult> {
  const { sandbox } = program
  const ts = await loadTypeScript()
  const here = ts === undefined ? undefined : typescriptOnHost(ts, program, options)
  if (here?.status === 'ran' || (here !== undefined && sandbox === undefined)) return here
  if (sandbox !== undefined) {
    const there = await tscInSandbox({ ...program, sandbox }, options)
    return there.status === 'not-available' && here !== undefined ? here : there
  }
  return notAvailable(
    { tool: 'typescript', finds: options.types ? ['lint', 'type'] : ['lint'], where: 'host' },
    `TypeScript was not found: ${TYPESCRIPT_REMEDY}.`,
  )
}
