// A static tool as a process of the sandbox: its own folder with the program's files in it, one command, its output.
import { randomBytes } from 'node:crypto'
import { MendloopError } from '../../contract/errors.js'
import type { ExecutionResult } from '../../contract/execution.js'
import { inWords } from '../../contract/foreign-values.js'
import type { CommandObject, Limits, Sandbox } from '../../contract/sandbox.js'
import { BUILD_FOLDER, COMPILER_MEMORY_BYTES } from '../../language/build-folder.js'
import { limitsInEffect } from '../../sandbox/limits-in-effect.js'
import type { CheckedProgram, Texts } from './checked-program.js'
import { notAvailable, type ToolName, type ToolResult, toolFailed } from './finding.js'

const OUTPUT_BYTES = 4 * 1024 * 1024
const SAID_CHARS = 300
/** Exit codes with which a program that is not there, or is none, is told. */
const NOT_FOUND: ReadonlySet<number> = new Set([126, 127])

/** A tool's command and how its output is read. */
export interface SandboxTool extends ToolName {
  /** Runs in a folder that holds the program's files and `extra`. */
  readonly argv: readonly string[]
  readonly stdin?: string
  /** Files that the tool needs besides the program's; without any the folder is not made. */
  readonly extra?: Texts
  /** True when it reads all it needs from its standard input. */
  readonly needsNoFiles?: boolean
  /** How to get it. */
  readonly remedy: string
  /** Exit codes of a tool that has done its work, findings or not. Default 0 and 1. */
  readonly codes?: readonly number[]
}

/**
 * Runs a tool; `read` makes its findings of what it printed and throws at nonsense.
 *
 * @throws what the sandbox throws: that it is gone is no fault of a tool's. ABORTED when `signal` was aborted
 */
export async function runSandboxTool(
  tool: SandboxTool,
  program: CheckedProgram & { readonly sandbox: Sandbox },
  read: (stdout: string) => ToolResult['findings'],
): Promise<ToolResult> {
  const { tool: name, finds, where } = tool
  const execution = await execute(tool, program)
  if ('refused' in execution) return toolFailed({ tool: name, finds, where }, execution.refused)
  const { outcome, stdout, stderr } = execution
  const failed = (reason: string): ToolResult => toolFailed({ tool: name, finds, where }, reason)
  if (outcome.kind === 'aborted') throw aborted(name, program.signal)
  if (outcome.kind === 'timeout') return failed(`${name} had not ended after ${outcome.limitMs} ms.`)
  if (outcome.kind !== 'exit') return failed(`${name} did not end by itself (${outcome.kind}).`)
  if (NOT_FOUND.has(outcome.code))
    return notAvailable({ tool: name, finds, where }, `${name} is not in the sandbox: ${tool.remedy}.`)
  const said = firstLine(stderr.text) ?? firstLine(stdout.text) ?? 'nothing printed'
  if (!(tool.codes ?? [0, 1]).includes(outcome.code))
    return failed(`${name} ended with exit code ${outcome.code}: ${said}`)
  if (stdout.truncated) return failed(`${name} printed more than could be read.`)
  try {
    return { tool: name, finds, where, status: 'ran', findings: read(stdout.text) }
  } catch (error) {
    return failed(`What ${name} printed could not be read (${inWords(error).slice(0, SAID_CHARS)}): ${said}`)
  }
}

async function execute(
  { argv, stdin, extra, needsNoFiles }: SandboxTool,
  { sandbox, files, known, timeoutMs, signal }: CheckedProgram & { readonly sandbox: Sandbox },
): Promise<ExecutionResult | { readonly refused: string }> {
  const folder = `${BUILD_FOLDER}/static-${randomBytes(6).toString('hex')}`
  const command: CommandObject = {
    argv,
    env: { LC_ALL: 'C.UTF-8', NO_COLOR: '1' },
    ...(stdin !== undefined && { stdin }),
  }
  const options = { limits: limitsOf(sandbox, timeoutMs), ...(signal !== undefined && { signal }) }
  if (needsNoFiles === true) return await sandbox.exec(command, options)
  try {
    await sandbox.files.write(below(folder, { ...known, ...files, ...extra }))
    return await sandbox.exec({ ...command, cwd: folder }, options)
  } catch (error) {
    if (MendloopError.is(error, 'PATH_REFUSED')) return { refused: error.message }
    throw error
  } finally {
    // What went wrong above says more than a folder that cannot be removed.
    await sandbox.files.remove(folder).catch(() => undefined)
  }
}

const below = (folder: string, files: Texts): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))

/** A checker may have what a compiler may, and the sandbox's own where that is more. */
function limitsOf(sandbox: Sandbox, wallMs: number): Partial<Limits> {
  const { memoryBytes } = limitsInEffect(sandbox)
  return {
    wallMs,
    outputBytes: OUTPUT_BYTES,
    ...(sandbox.guarantees.memory !== 'none' && {
      memoryBytes: Math.max(COMPILER_MEMORY_BYTES, memoryBytes),
    }),
  }
}

const firstLine = (text: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.slice(0, SAID_CHARS)

/** The error of a check that was called off. */
export const aborted = (during: string, signal: AbortSignal | undefined): MendloopError<'ABORTED'> =>
  new MendloopError('ABORTED', `The static checks were aborted (${during}).`, {
    details: { during: 'sandbox' },
    cause: signal?.reason,
  })

/** Paths as arguments: none is taken for an option. */
export const asArguments = (files: Texts): string[] => Object.keys(files).map((path) => `./${path}`)

/** The path within the workspace that a tool means; undefined when it is none of the program's. */
export function ownPath(files: Texts, named: string): string | undefined {
  const path = named.replace(/^(?:\.\/)+/u, '')
  if (files[path] !== undefined) return path
  // An absolute path names the folder that the tool ran in.
  const inFolder = /\/\.mendloop\/static-[0-9a-f]+\/(.+)$/u.exec(path)?.[1]
  return inFolder !== undefined && files[inFolder] !== undefined ? inFolder : undefined
}
