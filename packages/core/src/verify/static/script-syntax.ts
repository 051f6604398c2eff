// Whether JavaScript or TypeScript parses, where TypeScript itself is not at hand: esbuild, else the sandbox's Node.
import { posix } from 'node:path'
import type { Sandbox } from '../../contract/sandbox.js'
import { type Esbuild, type EsbuildMessage, loadEsbuild } from '../../language/esbuild.js'
import { readNodeErrors } from '../../language/node-errors.js'
import type { CheckedProgram } from './checked-program.js'
import { type FoundBy, notAvailable, ran, type ToolResult, toolFailed } from './finding.js'
import { ownPath, runSandboxTool } from './sandbox-tool.js'

const REMEDY = 'npm install esbuild beside @mendloop/core'
const RUN_BY_NODE = /\.[cm]?js$/u

/** Asks who is there. */
export async function scriptSyntax(program: CheckedProgram): Promise<ToolResult> {
  const esbuild = await loadEsbuild()
  if (esbuild !== undefined) return await syntaxByEsbuild(esbuild, program)
  const { sandbox } = program
  const files = Object.fromEntries(Object.entries(program.files).filter(([path]) => RUN_BY_NODE.test(path)))
  if (sandbox === undefined || Object.keys(files).length === 0)
    return notAvailable(
      { tool: 'esbuild', finds: ['syntax'], where: 'host' },
      `esbuild was not found: ${REMEDY}.`,
    )
  return await syntaxByNode({ ...program, files, sandbox })
}

/** Each file alone, so that nothing is looked for. */
export async function syntaxByEsbuild(esbuild: Esbuild, { files }: CheckedProgram): Promise<ToolResult> {
  const tool = { tool: 'esbuild', finds: ['syntax'], where: 'host' } as const
  const findings: FoundBy[] = []
  for (const [path, contents] of Object.entries(files)) {
    const loader = posix.extname(path).replace(/^\.[cm]?/u, '')
    try {
      await esbuild.build({
        stdin: { contents, sourcefile: path, loader },
        bundle: false,
        write: false,
        logLevel: 'silent',
        target: 'esnext',
        absWorkingDir: process.cwd(),
        tsconfigRaw: {},
      })
    } catch (error) {
      const { errors = [] } = error as { errors?: readonly EsbuildMessage[] }
      if (errors.length === 0) return toolFailed(tool, `esbuild could not read ${path}.`)
      findings.push(...errors.map((one) => byEsbuild(path, one)))
    }
  }
  return ran(tool, findings)
}

const byEsbuild = (path: string, { text, location }: EsbuildMessage): FoundBy => ({
  tool: 'esbuild',
  rule: 'syntax',
  kind: 'syntax',
  severity: 'error',
  message: text,
  path,
  line: location?.line ?? 1,
  // The bundler counts bytes, from 0.
  column:
    location === null
      ? 1
      : Buffer.from(location.lineText).subarray(0, location.column).toString('utf8').length + 1,
})

/** Node reads one file at a time, and tells the first error of it. */
const EACH = 'for file; do node --check "$file" || exit 1; done'

/** `node --check` executes nothing. */
export async function syntaxByNode(
  program: CheckedProgram & { readonly sandbox: Sandbox },
): Promise<ToolResult> {
  const { files } = program
  const argv = ['/bin/sh', '-c', `{ ${EACH}; } 2>&1`, 'sh', ...Object.keys(files).map((path) => `./${path}`)]
  return await runSandboxTool(
    { tool: 'node', finds: ['syntax'], where: 'sandbox', argv, remedy: 'apt-get install nodejs' },
    program,
    (stdout) => {
      if (stdout.trim() === '') return []
      const { errors } = readNodeErrors(stdout, { kind: 'exit', code: 1 }, '')
      const found = errors.flatMap(({ kind, message, place, frames = [] }): FoundBy[] => {
        const at = place ?? frames.at(-1)
        const path = at === undefined ? undefined : ownPath(files, at.file)
        if (kind !== 'syntax' || at === undefined || path === undefined) return []
        const { line, column = 1 } = at
        return [{ tool: 'node', rule: 'syntax', kind, severity: 'error', message, path, line, column }]
      })
      if (found.length === 0) throw new Error('no error of syntax is in it')
      return found
    },
  )
}
