// The program of a case in the sandbox, ready to be run: as the bytes it was given, or compiled where its language needs it.
import { extname } from 'node:path'
import { type ExecutionResult, type Language, runSource, type Sandbox } from '@mendloop/core'
import { type RunOptions, runCommand } from './names.js'

/** A program as a case gives it. */
interface CaseProgram {
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
  const command = await runCommand(
    language,
    { files: { [entry]: code.toString('utf8') }, entry },
    sandbox.workdir,
  )
  return () => sandbox.exec({ ...command, argv: [...command.argv, ...args], ...input })
}

/** A program that must always work, in the interpreter of the one before it where that is Python. */
export const runNextProgram = (sandbox: Sandbox, { language }: CaseProgram): Promise<ExecutionResult> =>
  sandbox.exec(
    language.id === 'python'
      ? { argv: ['python3', '-c', 'print("next")'] }
      : { argv: ['sh', '-c', 'echo next'] },
  )
