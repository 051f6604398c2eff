// TypeScript in this process: the program's files in memory, the compiler's own libraries and Node's types from disk,
// and nothing else of the host, whatever the program names.
import { posix } from 'node:path'
import type { CheckedProgram } from './checked-program.js'
import { type FoundBy, ran, type ToolResult, toolFailed } from './finding.js'
import { aborted } from './sandbox-tool.js'
import type { TsDiagnostic, TsProgram, TsSourceFile, TypeScript } from './typescript.js'
import { type CodeContext, toFinding } from './typescript-codes.js'
import { COMPILER_OPTIONS } from './typescript-options.js'

/** A folder that is nowhere: the program's files are in it, and Node's types where TypeScript looks for types. */
const ROOT = '/mendloop-program'
const TYPES = `${ROOT}/node_modules`
/** Libraries are large and always the same. */
const libraries = new Map<string, TsSourceFile>()
const ERROR = 1

/** What is asked of TypeScript. */
export interface TypeScriptOptions {
  /** False: only syntax and names. */
  readonly types: boolean
  readonly compilerOptions: Readonly<Record<string, unknown>>
}

/** Checks every file; stops at the program's time limit. */
export function typescriptOnHost(
  ts: TypeScript,
  program: CheckedProgram,
  { types, compilerOptions }: TypeScriptOptions,
): ToolResult {
  const finds = types ? (['syntax', 'lint', 'type'] as const) : (['syntax', 'lint'] as const)
  const tool = { tool: 'typescript', finds, where: 'host' } as const
  const { files, signal, timeoutMs } = program
  try {
    const compiled = createProgram(ts, program, compilerOptions)
    const token = cancellation(ts, timeoutMs, signal)
    const findings = Object.entries(files).flatMap(([path, text]): FoundBy[] => {
      const file = compiled.getSourceFile(`${ROOT}/${path}`)
      if (file === undefined) return []
      const unparsed = compiled.getSyntacticDiagnostics(file, token)
      const found = unparsed.length > 0 ? unparsed : compiled.getSemanticDiagnostics(file, token)
      return found.flatMap((one) => toFindings(ts, one, { path, byParser: unparsed.length > 0, types, text }))
    })
    return ran(tool, findings)
  } catch (error) {
    if (signal?.aborted === true) throw aborted('typescript', signal)
    if (error instanceof ts.OperationCanceledException)
      return toolFailed(tool, `TypeScript had not ended after ${timeoutMs} ms.`)
    const [said = ''] = String(error).split('\n')
    return toolFailed(tool, `TypeScript could not check this program: ${said.slice(0, 300)}`)
  }
}

function toFindings(
  ts: TypeScript,
  { category, code, messageText, file, start = 0 }: TsDiagnostic,
  { path, ...how }: CodeContext & { path: string },
): FoundBy[] {
  if (category !== ERROR || file === undefined) return []
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  const message = ts.flattenDiagnosticMessageText(messageText, '\n').replaceAll(`${ROOT}/`, '')
  return toFinding({ tool: 'typescript', message, path, line: line + 1, column: character + 1 }, code, how)
}

function createProgram(
  ts: TypeScript,
  { files, known }: CheckedProgram,
  compilerOptions: Readonly<Record<string, unknown>>,
): TsProgram {
  const { options } = ts.convertCompilerOptionsFromJson({ ...COMPILER_OPTIONS, ...compilerOptions }, ROOT)
  const own = new Map(Object.entries({ ...known, ...files }).map(([path, text]) => [`${ROOT}/${path}`, text]))
  const libraryFolder = posix.dirname(ts.getDefaultLibFilePath(options).replaceAll('\\', '/'))
  const nodeTypes = findNodeTypes(ts, libraryFolder)
  const whole = {
    ...options,
    // Without Node's types those of a browser say what a console is.
    lib: nodeTypes === undefined ? ['lib.esnext.d.ts', 'lib.dom.d.ts'] : ['lib.esnext.d.ts'],
    types: nodeTypes === undefined ? [] : ['node'],
    typeRoots: [`${TYPES}/@types`],
  }
  const onDisk = (path: string): string | undefined => {
    if (path.startsWith(`${libraryFolder}/`)) return path
    if (nodeTypes === undefined || !path.startsWith(`${TYPES}/`)) return undefined
    return `${nodeTypes}${path.slice(TYPES.length)}`
  }
  const read = (path: string): string | undefined => {
    const real = own.has(path) ? undefined : onDisk(path)
    return real === undefined ? own.get(path) : ts.sys.readFile(real)
  }
  const host = {
    getSourceFile: (path: string, version: unknown) => sourceFile(ts, { path, version, read, own }),
    getDefaultLibFileName: () => `${libraryFolder}/lib.esnext.d.ts`,
    getDefaultLibLocation: () => libraryFolder,
    writeFile: () => undefined,
    getCurrentDirectory: () => ROOT,
    getCanonicalFileName: (path: string) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (path: string) => {
      const real = own.has(path) ? undefined : onDisk(path)
      return own.has(path) || (real !== undefined && ts.sys.fileExists(real))
    },
    readFile: read,
  }
  return ts.createProgram(
    Object.keys(files).map((path) => `${ROOT}/${path}`),
    whole,
    host,
  )
}

function sourceFile(
  ts: TypeScript,
  {
    path,
    version,
    read,
    own,
  }: {
    path: string
    version: unknown
    read: (path: string) => string | undefined
    own: ReadonlyMap<string, string>
  },
): TsSourceFile | undefined {
  const key = `${ts.version}:${path}`
  const library = own.has(path) ? undefined : libraries.get(key)
  if (library !== undefined) return library
  const text = read(path)
  if (text === undefined) return undefined
  const file = ts.createSourceFile(path, text, version)
  if (!own.has(path)) libraries.set(key, file)
  return file
}

/** The `node_modules` that holds @types/node: the compiler's own, or one of the application's. */
function findNodeTypes(ts: TypeScript, libraryFolder: string): string | undefined {
  const folders = [posix.join(libraryFolder, '../..')]
  for (let at = process.cwd().replaceAll('\\', '/'); ; at = posix.dirname(at)) {
    folders.push(posix.join(at, 'node_modules'))
    if (posix.dirname(at) === at) break
  }
  return folders.find((folder) => ts.sys.fileExists(`${folder}/@types/node/index.d.ts`))
}

/** What the checker asks now and then: whether it should stop. */
function cancellation(ts: TypeScript, timeoutMs: number, signal: AbortSignal | undefined): object {
  const end = performance.now() + timeoutMs
  const isCancellationRequested = (): boolean => signal?.aborted === true || performance.now() > end
  return {
    isCancellationRequested,
    throwIfCancellationRequested() {
      if (isCancellationRequested()) throw new ts.OperationCanceledException()
    },
  }
}
