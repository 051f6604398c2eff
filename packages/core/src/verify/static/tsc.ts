// The sandbox's own tsc, where TypeScript is not installed on this side. Nothing is emitted, nothing is run.
import type { Sandbox } from '../../contract/sandbox.js'
import type { CheckedProgram } from './checked-program.js'
import type { FoundBy, ToolResult } from './finding.js'
import { ownPath, runSandboxTool } from './sandbox-tool.js'
import { TYPESCRIPT_REMEDY } from './typescript.js'
import { toFinding } from './typescript-codes.js'
import type { TypeScriptOptions } from './typescript-host.js'
import { COMPILER_OPTIONS } from './typescript-options.js'

const LINE = /^(.+?)\((\d+),(\d+)\): error TS(\d+): (.*)$/u

/** Asks it; its configuration is ours, and stands nearer than any that the program has. */
export async function tscInSandbox(
  program: CheckedProgram & { readonly sandbox: Sandbox },
  { types, compilerOptions }: TypeScriptOptions,
): Promise<ToolResult> {
  const { files } = program
  const config = {
    compilerOptions: { ...COMPILER_OPTIONS, ...compilerOptions },
    files: Object.keys(files).map((path) => `./${path}`),
  }
  return await runSandboxTool(
    {
      tool: 'tsc',
      finds: types ? ['syntax', 'lint', 'type'] : ['syntax', 'lint'],
      where: 'sandbox',
      argv: ['tsc', '-p', 'tsconfig.json', '--pretty', 'false'],
      extra: { 'tsconfig.json': JSON.stringify(config) },
      remedy: TYPESCRIPT_REMEDY,
      codes: [0, 1, 2],
    },
    program,
    (stdout) => {
      const read = messages(stdout)
      if (stdout.trim() !== '' && read.length === 0) throw new Error('no line is an error in a file')
      return read.flatMap(({ named, line, column, code, message }): FoundBy[] => {
        const path = ownPath(files, named)
        if (path === undefined) return []
        const how = { byParser: code >= 1000 && code < 2000, types, text: files[path] ?? '' }
        return toFinding({ tool: 'tsc', message, path, line, column }, code, how)
      })
    },
  )
}

interface Message {
  readonly named: string
  readonly line: number
  readonly column: number
  readonly code: number
  readonly message: string
}

/** Each error with the indented lines that explain it. */
function messages(stdout: string): Message[] {
  const all: (Message & { message: string })[] = []
  for (const text of stdout.split(/\r?\n/u)) {
    const [whole, named = '', line, column, code, message = ''] = LINE.exec(text) ?? []
    const last = all.at(-1)
    if (whole !== undefined)
      all.push({ named, line: Number(line), column: Number(column), code: Number(code), message })
    else if (last !== undefined && text.startsWith(' ')) last.message += `\n${text}`
  }
  return all
}
