// What a program run is asked for, and what it gives: the types of `runProgram`, and its options checked.
import { z } from 'zod'
import { environmentSchema, passableTextSchema } from '../../contract/environment-schema.js'
import type { ExecutionResult } from '../../contract/execution.js'
import { bytesSchema, inputSchema } from '../../contract/foreign-values.js'
import { withPlaces } from '../../contract/option-hints.js'
import { invalidOption, parseOptions } from '../../contract/options.js'
import type { Limits, OutputChunk } from '../../contract/sandbox.js'
import { execOptionFields } from '../../contract/sandbox-schemas.js'
import { toWorkspaceFiles, toWorkspacePath } from '../../sandbox/workspace-path.js'
import { toFoundPath } from './collected-files.js'
import { filesSchema } from './files-schema.js'
import { preloadSchema } from './preparation.js'

/** A Python program with all it needs. */
export interface ProgramRun {
  /** Its files: path within its workspace → content. Nothing else is there when it starts. */
  readonly files: Readonly<Record<string, string | Uint8Array>>
  /** The file that is run as `__main__`. Default: the only `.py` file, else `main.py`. */
  readonly entry?: string
  /** `sys.argv` from 1 on. */
  readonly args?: readonly string[]
  /** Standard input, then end of file. Default: end of file at once. */
  readonly stdin?: string | Uint8Array
  /** Further variables; undefined ones are left out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Folder of one of the files to run in. Default: the workspace's root. */
  readonly cwd?: string
}

/** How a program is run. */
export interface RunProgramOptions {
  /** Override the sandbox's limits for this run. */
  readonly limits?: Partial<Limits>
  /**
   * Aborting kills the program; the result then has outcome `aborted`. A program that has ended keeps its outcome: its
   * files are looked through for another 0.3 seconds, and what is left then is in `unseen`.
   */
  readonly signal?: AbortSignal
  /** Called with output as it arrives, in order, up to the output limit. What it throws is ignored. */
  readonly onOutput?: (chunk: OutputChunk) => void
  /**
   * Files to give back when the run created or modified them: `true` for all, or paths of files and folders, no
   * patterns; `missing` names those of which there was nothing. At most 1 000 files of 64 MiB together are given, those
   * that are named here before others; `withheld` names the rest. Of more than 100 000 files, links and folders,
   * 8 MiB of names or 64 folders below one another `unseen` tells where. Default: none.
   */
  readonly collect?: true | readonly string[]
  /** Packages to load ahead, once for all runs in this sandbox, such as `pandas`; one that is missing is no error. */
  readonly preload?: readonly string[]
}

/** What a program did. */
export interface ProgramResult extends ExecutionResult {
  /** The files that were asked for with `collect`, by path. */
  readonly files: Readonly<Record<string, Uint8Array>>
  /** Changed files whose content could not be given, sorted: over a cap, or not regular. */
  readonly withheld: readonly string[]
  /** What `collect` names and the run neither created nor modified; nothing that may be in `unseen`. Absent: nothing. */
  readonly missing?: readonly string[]
  /** What ran it: a fork of the sandbox's warm interpreter, or a process of its own. */
  readonly engine: 'runner' | 'process'
}

/** A program run, checked. */
export interface CheckedRun {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly entry: string
  readonly args: readonly string[]
  readonly stdin: Uint8Array | undefined
  readonly env: Readonly<Record<string, string>>
  /** Empty for the workspace's root. */
  readonly cwd: string
}

/** Its options, checked. */
export interface CheckedOptions extends RunProgramOptions {
  /** Files and folders that are wanted back; `true` for all. */
  readonly wanted: true | readonly string[]
}

const OWNER = 'runProgram()'
const content = z.union([z.string(), bytesSchema], 'must be text or bytes')

const OF_FILES = "a program is its files: { files: { 'main.py': … } }, or its text alone"
const programSchema: z.ZodType<ProgramRun & Pick<Partial<CheckedRun>, 'env'>> = withPlaces(
  z.strictObject({
    files: filesSchema(content, "must be contents by path, as in { 'main.py': … }"),
    entry: z.string().optional(),
    args: z.array(passableTextSchema).readonly().optional(),
    stdin: inputSchema.optional(),
    env: environmentSchema.optional(),
    cwd: z.string().optional(),
  }),
  Object.fromEntries(['code', 'source', 'program', 'script'].map((field) => [field, OF_FILES])),
)

// Names with these are rare, and a pattern that is taken for a name finds nothing.
const isNoPattern = (path: string): boolean => !/[*?]/.test(path)
const NO_PATTERN = 'must be the path of a file or a folder, not a pattern; true collects all that changed'

const OF_THE_PROGRAM = "it belongs to the program, beside its files: { files: { 'main.py': … }, "
const optionsSchema: z.ZodType<RunProgramOptions> = withPlaces(
  z.strictObject({
    ...execOptionFields,
    collect: z
      .union(
        [z.literal(true), z.array(z.string().refine(isNoPattern, NO_PATTERN)).readonly()],
        "must be true, or a list of paths such as ['out.txt']",
      )
      .optional(),
    preload: preloadSchema.optional(),
  }),
  Object.fromEntries(
    ['entry', 'args', 'stdin', 'env', 'cwd'].map((field) => [field, `${OF_THE_PROGRAM}${field} }`]),
  ),
)

/** @throws MendloopError INVALID_OPTION, PATH_REFUSED */
export function checkProgram(program: string | ProgramRun): CheckedRun {
  const given = typeof program === 'string' ? { files: { 'main.py': program } } : program
  const parsed = parseOptions(programSchema, given, OWNER)
  const files = toWorkspaceFiles(parsed.files)
  const { stdin, args = [], env = {} } = parsed
  return {
    files,
    entry: entryOf(files, parsed.entry),
    args,
    stdin: typeof stdin === 'string' ? Buffer.from(stdin) : stdin,
    env,
    cwd: folderOf(files, parsed.cwd),
  }
}

/** @throws MendloopError INVALID_OPTION, PATH_REFUSED */
export function checkOptions(options: RunProgramOptions): CheckedOptions {
  const { collect } = parseOptions(optionsSchema, options, OWNER)
  if (collect === undefined) return { ...options, wanted: [] }
  return { ...options, wanted: collect === true ? true : collect.map(toFoundPath) }
}

function entryOf(files: ReadonlyMap<string, unknown>, entry: string | undefined): string {
  const programs = [...files.keys()].filter((path) => path.endsWith('.py'))
  const path =
    entry === undefined ? (programs.length === 1 && programs[0]) || 'main.py' : toWorkspacePath(entry)
  if (files.has(path)) return path
  throw invalidOption(OWNER, 'entry', 'must be one of the files', {
    expected: [...files.keys()].join(', ') || 'a file',
    received: JSON.stringify(path),
    ...(entry === undefined && {
      hint: `there is no "main.py" among ${programs.slice(0, 10).join(', ') || 'them'}; name the one to run with "entry"`,
    }),
  })
}

function folderOf(files: ReadonlyMap<string, unknown>, cwd: string | undefined): string {
  if (cwd === undefined || cwd === '' || cwd === '.') return ''
  const path = toWorkspacePath(cwd)
  if ([...files.keys()].some((file) => file.startsWith(`${path}/`))) return path
  throw invalidOption(OWNER, 'cwd', 'must be the folder of one of the files', {
    expected: 'a folder of the files',
    received: JSON.stringify(cwd),
    hint: 'an empty file in it makes it',
  })
}
