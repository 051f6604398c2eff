// The program of a case in the sandbox, ready to be run: as the bytes it was given, or compiled where its language needs it.
import { extname } from 'node:path'
import { DEFAULT_LIMITS, type ExecutionResult, type Language, runSource, type Sandbox } from '@mendloop/core'
import { NotUnderstood } from './expectation.js'
import type { RunOptions } from './names.js'

/** A program as a case gives it. */
export interface CaseProgram {
  readonly language: Language
  /** Name of the case's file; its extension says which kind of module it is. */
  readonly file: string
  readonly code: Buffer
}

const INTERPRETED: readonly string[] = ['python', 'javascript', 'shell']
/** Of a language's extensions, the ones that change how a program is read. */
const MODULE_KINDS: readonly string[] = ['.js', '.cjs', '.mjs']

/** Puts the program in the sandbox, and gives back what runs it. */
export async function placeProgram(
  sandbox: Sandbox,
  { language, file, code }: CaseProgram,
  { args, stdin, limits }: RunOptions,
): Promise<() => Promise<ExecutionResult>> {
  const input = stdin === undefined ? {} : { stdin }
  if (!INTERPRETED.includes(language.id)) {
    const program = { language: language.id, files: code.toString('utf8'), args, ...input }
    return async () => {
      const { run, compile } = await runSource(sandbox, program, { limits })
      const last = run ?? compile
      if (last === undefined) throw new Error('the program was neither compiled nor run')
      return last
    }
  }
  const extension = extname(file)
  const entry = MODULE_KINDS.includes(extension)
    ? language.entry.replace(/\.mjs$/, extension)
    : language.entry
  await sandbox.files.write({ [entry]: new Uint8Array(code) })
  const { run, compile } = await language.recipe(
    { files: { [entry]: code.toString('utf8') }, entry },
    { workdir: sandbox.workdir, memoryBytes: DEFAULT_LIMITS.memoryBytes, compileArgs: [], answers: {} },
  )
  if (compile !== undefined) throw new NotUnderstood(`programs in ${language.id} are not run here`)
  return () => sandbox.exec({ ...run, argv: [...run.argv, ...args], ...input })
}

/** Whether a file of the workspace was put there to run the program: its own text, or what a compiler made of it. */
export const isOfTheProgram = (path: string, content: Uint8Array, { language, code }: CaseProgram): boolean =>
  code.equals(content) || (!INTERPRETED.includes(language.id) && /(?:^|\/)\.mendloop[./]/.test(path))

/** A program that must always work, in the interpreter of the one before it where that is Python. */
export const runNextProgram = (sandbox: Sandbox, { language }: CaseProgram): Promise<ExecutionResult> =>
  sandbox.exec(
    language.id === 'python'
      ? { argv: ['python3', '-c', 'print("next")'] }
      : { argv: ['sh', '-c', 'echo next'] },
  )
