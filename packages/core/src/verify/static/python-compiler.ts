// Python's own compiler, in the sandbox: it says whether a program is Python, and executes nothing of it.
import { z } from 'zod'
import type { Sandbox } from '../../contract/sandbox.js'
import { type CheckedProgram, columnIn } from './checked-program.js'
import type { FoundBy, ToolResult } from './finding.js'
import { ownPath, runSandboxTool } from './sandbox-tool.js'

/** What the sandbox's Python answered. */
export interface CompilerAnswer {
  readonly result: ToolResult
  /** Its minor version, such as 12 of 3.12; undefined when it did not answer. */
  readonly minor?: number
  /** Which other tools stand on its PATH. */
  readonly tools: readonly string[]
}

/** Compiles each text as its file would be; texts that are too deep to compile are no syntax errors. */
const PROGRAM = `
import json, shutil, sys, warnings
warnings.simplefilter('ignore')
request = json.loads(sys.stdin.buffer.read())
found = []
for path, text in request['files'].items():
    try:
        compile(text.encode(), path, 'exec', dont_inherit=True)
    except SyntaxError as error:
        found.append([path, error.lineno or 1, error.offset or 1, type(error).__name__ + ': ' + str(error.msg)])
    except ValueError as error:
        found.append([path, 1, 1, 'SyntaxError: ' + str(error)])
    except (MemoryError, RecursionError, OverflowError):
        pass
tools = [name for name in request['tools'] if shutil.which(name)]
sys.stdout.write(json.dumps({'minor': sys.version_info[1], 'tools': tools, 'found': found}))
`

const answerSchema = z.object({
  minor: z.int(),
  tools: z.array(z.string()),
  found: z.array(z.tuple([z.string(), z.int(), z.int(), z.string()])),
})

/** Asks the sandbox's Python for errors of syntax, its version, and which of `tools` are beside it. */
export async function askPython(
  program: CheckedProgram & { readonly sandbox: Sandbox },
  tools: readonly string[],
): Promise<CompilerAnswer> {
  const { files } = program
  let answer: z.infer<typeof answerSchema> | undefined
  const result = await runSandboxTool(
    {
      tool: 'python3',
      finds: ['syntax'],
      where: 'sandbox',
      // Nothing of the workspace, of the user's or of installed packages is imported.
      argv: ['python3', '-I', '-S', '-B', '-c', PROGRAM],
      stdin: JSON.stringify({ files, tools }),
      needsNoFiles: true,
      remedy: 'apt-get install python3',
      codes: [0],
    },
    program,
    (stdout) => {
      answer = answerSchema.parse(JSON.parse(stdout))
      return answer.found.flatMap(([named, line, column, message]): FoundBy[] => {
        const path = ownPath(files, named)
        return path === undefined ? [] : [syntaxError(files[path], { path, line, column, message })]
      })
    },
  )
  return {
    result,
    tools: answer?.tools ?? [],
    ...(answer !== undefined && { minor: answer.minor }),
  }
}

const syntaxError = (
  text: string | undefined,
  { path, line, column, message }: Pick<FoundBy, 'path' | 'line' | 'column' | 'message'>,
): FoundBy => ({
  tool: 'python3',
  rule: 'syntax',
  kind: 'syntax',
  severity: 'error',
  message,
  path,
  line: Math.max(1, line),
  column: columnIn(text, line, column, 'code-points'),
})
