// The files that a judgement rests on: the task's inputs and the candidate's own, put back whenever something ran.
import type { Candidate } from '../contract/candidate.js'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { Sandbox } from '../contract/sandbox.js'

type Files = Readonly<Record<string, string | Uint8Array>>

/** What a judgement rests on. */
export interface JudgedFilesInput {
  readonly inputs: Files
  readonly candidate: Candidate
  /** Paths that the program is asked to write; an input among them is not put back. */
  readonly outputs: readonly string[]
  /** Names that a program may not add. */
  readonly isProtected: (path: string) => boolean
  /** Folders that may hold some of those, or inputs. */
  readonly couldHold: (path: string) => boolean
}

/** What must be in the workspace, and what has been touched since it was last put there. */
export class JudgedFiles {
  readonly #sandbox: Sandbox
  /** Those that are put back after every execution. */
  readonly #inputs: Files
  /** Everything that was handed in. */
  readonly #all: Files
  readonly #program: Files
  readonly #isProtected: (path: string) => boolean
  readonly #couldHold: (path: string) => boolean
  readonly #touched = new Set<string>()
  /** Made by a program, under names that it may not use. */
  readonly #added = new Set<string>()
  /** Made by an execution, under whatever name. */
  readonly #made = new Set<string>()

  constructor(sandbox: Sandbox, { inputs, candidate, outputs, isProtected, couldHold }: JudgedFilesInput) {
    this.#sandbox = sandbox
    this.#couldHold = couldHold
    this.#inputs = Object.fromEntries(Object.entries(inputs).filter(([path]) => !outputs.includes(path)))
    this.#program = candidate.files
    this.#all = { ...inputs, ...candidate.files }
    this.#isProtected = (path) => isProtected(path) && inputs[path] === undefined && !outputs.includes(path)
  }

  /** Takes note of what an execution did. */
  ran({ changes, unseen = [] }: ExecutionResult): void {
    for (const { path, kind, type } of changes) {
      this.#touched.add(path)
      if (kind === 'deleted') continue
      if (kind === 'created') this.#made.add(path)
      // Through a link of a folder's name others come in that nobody is told of.
      if (this.#isProtected(path) || (type === 'link' && this.#couldHold(path))) this.#added.add(path)
    }
    // What could not be looked at may hold anything.
    if (unseen.length > 0) for (const path of Object.keys(this.#inputs)) this.#touched.add(path)
    for (const { path } of unseen) if (path !== '.' && path !== '') this.#added.add(path)
  }

  /**
   * Puts back the inputs that were touched, and always the program: it is small, and what decides is read from it. What
   * was added under protected names is removed.
   *
   * @returns false when that cannot be done, since the program put something in the way
   */
  async restore(): Promise<boolean> {
    if (!(await this.#remove(this.#added))) return false
    this.#added.clear()
    const inputs = Object.entries(this.#inputs).filter(([path]) => this.#touched.has(path))
    const files = { ...Object.fromEntries(inputs), ...this.#program }
    return await this.#putBack(files, { ...this.#inputs, ...this.#program })
  }

  /**
   * Puts everything back to what it was before the first execution, and removes what executions made: what one left
   * behind can make the next one pass.
   *
   * @returns as {@link restore}
   */
  async startOver(): Promise<boolean> {
    const folders = new Set(Object.keys(this.#all).flatMap(foldersOf))
    const made = [...this.#made, ...this.#added].map((path) => highestOutside(path, folders))
    if (!(await this.#remove(new Set(made)))) return false
    this.#made.clear()
    this.#added.clear()
    return await this.#putBack(this.#all, this.#all)
  }

  /** Writes `files`; where something is in the way, all that is at the top of `all` goes, and `all` is written. */
  async #putBack(files: Files, all: Files): Promise<boolean> {
    // A folder or a link in a file's place shows as changes below it, or as none; writing tells.
    if (!(await this.#write(files))) {
      if (!(await this.#remove(new Set(Object.keys(all).map(topOf))))) return false
      if (!(await this.#write(all))) return false
    }
    this.#touched.clear()
    return true
  }

  /** Whatever is there. Where a folder has been closed, all that is at the top of it goes. */
  async #remove(paths: ReadonlySet<string>): Promise<boolean> {
    for (const path of paths)
      if (!(await isDone(() => this.#sandbox.files.remove(path)))) {
        if (!(await isDone(() => this.#sandbox.files.remove(topOf(path))))) return false
        for (const one of Object.keys(this.#inputs)) this.#touched.add(one)
      }
    return true
  }

  #write(files: Files): Promise<boolean> {
    return isDone(() => this.#sandbox.files.write(files))
  }
}

const topOf = (path: string): string => path.split('/')[0] ?? path

/** The folders that a path is in, `a` and `a/b` of `a/b/c`. */
const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))

/** The path, or the highest folder above it that is none of `folders`. */
const highestOutside = (path: string, folders: ReadonlySet<string>): string =>
  foldersOf(path).find((folder) => !folders.has(folder)) ?? path

/** False when something that a program did keeps it from being done. */
async function isDone(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    if (MendloopError.is(error, 'PATH_REFUSED') || MendloopError.is(error, 'FILE_UNAVAILABLE')) return false
    throw error
  }
}
