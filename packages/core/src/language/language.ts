// What the loop has to know of a language; one file a language fills it in.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { CommandObject, Limits } from '../contract/sandbox.js'
import type { Failure } from '../contract/verify.js'

/** How programs of one language are named, run and read. */
export interface Language {
  /** Canonical id, such as `python`. */
  readonly id: string
  /** The file a single program goes to, such as `solution.py`. */
  readonly entry: string
  /** The file that a text alone goes to, where the text decides; `entry` otherwise. */
  entryOf?(text: string): string | undefined
  /** What must be there for it to run; all of them. */
  readonly tools: readonly LanguageTool[]
  /**
   * How an empty file is run, whose path comes last; for an interpreter that dies without a word where it has too
   * little memory to start.
   */
  readonly idle?: readonly string[]
  /**
   * How a program is run, its compiler included.
   *
   * @throws MendloopError TOOLCHAIN_MISSING when a tool is there and too old
   */
  recipe(program: Candidate, context: RecipeContext): Recipe | Promise<Recipe>
  /**
   * Reads what an execution printed, that of a compiler too: the failure to mend first; none when it ended well.
   *
   * Without `candidate` every file that is no library's counts as the program's own.
   */
  diagnose(execution: ExecutionResult, candidate?: Candidate): readonly Failure[]
}

/** A compiler or an interpreter. */
export interface LanguageTool {
  /** As it is started, such as `gcc`. */
  readonly name: string
  /** The question it answers with exit code 0 where it is there, such as `gcc --version`. */
  readonly probe: readonly string[]
  /** How to get it, as words for people. */
  readonly remedy: string
}

/** What a recipe may depend on. */
export interface RecipeContext {
  /** Absolute path of the workspace as programs see it. */
  readonly workdir: string
  /** Memory of the run, in bytes: interpreters with a heap of their own are told to stay within it. */
  readonly memoryBytes: number
  /** Further arguments for the compiler. */
  readonly compileArgs: readonly string[]
  /** What each tool answered when it was asked for its version, by its name. */
  readonly answers: Readonly<Record<string, string>>
}

/** How one program is run. */
export interface Recipe {
  /** Files to write besides the program's own. */
  readonly files?: Readonly<Record<string, string>>
  /** What comes before the run; when it fails, nothing is run. */
  readonly compile?: CompileStep
  /** What runs the program; paths are within the workspace. */
  readonly run: CommandObject
}

/** The compiler's turn: a command in the sandbox, or what a compiler that works on the host had to say. */
export type CompileStep =
  | {
      /** What compiles. */
      readonly command: CommandObject
      /** What a compiler needs, whatever the program may have; the larger of both is allowed. */
      readonly limits: Partial<Pick<Limits, 'wallMs' | 'memoryBytes'>>
    }
  | {
      /** Its errors, as it would print them. */
      readonly errors: string
    }
