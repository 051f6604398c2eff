// Edits made to files in memory: all of them or none.
import { invalidOption } from '../../contract/options.js'
import type { Failure } from '../../contract/verify.js'
import { fingerprintOf } from '../../language/fingerprint.js'
import { WorkBudget } from '../work-budget.js'
import { applyHunk, type HunkContext, type HunkOutcome } from './apply-hunk.js'
import { type Edit, type EditHunk, type EditProblem, givesAnew, makesFile, side } from './edit.js'
import { problem, problemsMessage } from './edit-problem.js'
import { type FileLines, toFileLines, toText } from './file-lines.js'
import { leftOutLine } from './left-out-line.js'
import { nearestLines } from './nearest-lines.js'
import { resolvePath } from './resolve-path.js'

/** What {@link applyEdits} came to. */
export type AppliedEdits =
  | {
      /** Every edit is made, or was made before. */
      readonly status: 'applied'
      /** Every file as it is now; deleted ones are gone. */
      readonly files: Readonly<Record<string, string>>
      /** Paths whose text is new or other than before, in order of the edits. */
      readonly changed: readonly string[]
      /** Paths that are gone. */
      readonly deleted: readonly string[]
      /** Stable names of what was odd: `already-applied`, `whitespace-adapted`, `path-resolved`. */
      readonly warnings: readonly string[]
    }
  | {
      /** At least one edit cannot be made, so none was. */
      readonly status: 'failed'
      /** The files as they were given. */
      readonly files: Readonly<Record<string, string>>
      /** What is wrong, in order of the edits. */
      readonly problems: readonly EditProblem[]
      /** All of it in words, of kind `edit`; holds the nearest real lines, and is bounded in size. */
      readonly failure: Failure
    }

/** With so many nothing further is looked at. */
const PROBLEMS_AT_MOST = 20
/** Line looks for one call: some seconds at most. */
const WORK = 20_000_000

/**
 * Makes edits to files in memory: all of them, or none when one cannot be made.
 *
 * Old lines have to fit exactly once; overlapping fits count. They are looked for as they are, then without trailing
 * white space, then further in or out by the same amount (new lines are moved alike), then with tabs for spaces. A patch's
 * line numbers, order and function heads only decide between several fits. Line ends, byte order mark and a missing final
 * newline stay as the file has them. Edits of one file build on each other. An edit whose new lines are there already is
 * skipped with the warning `already-applied`, where they say enough to be known again: they stand once, with a line that was to
 * stay or with two of their own. A patch of nothing but new lines above a whole file that is there fails (`file-exists`).
 *
 * @param files - path → text
 * @param edits - what {@link extractEdits} found
 * @throws MendloopError INVALID_OPTION when the arguments are no files and no edits; never because of what an edit says
 */
export function applyEdits(files: Readonly<Record<string, string>>, edits: readonly Edit[]): AppliedEdits {
  requireFiles(files)
  if (!Array.isArray(edits))
    throw invalidOption('applyEdits()', 'edits', 'must be a list of edits', {
      expected: 'a list of edits',
      received: typeof edits,
    })
  const bench = new Bench(files)
  for (const edit of edits) bench.apply(edit)
  return bench.result()
}

function requireFiles(files: unknown): void {
  const isRecord = typeof files === 'object' && files !== null && !Array.isArray(files)
  if (isRecord && Object.values(files).every((text) => typeof text === 'string')) return
  throw invalidOption('applyEdits()', 'files', 'must be an object of texts by path', {
    expected: 'an object of texts by path',
    received: Array.isArray(files) ? 'an array' : typeof files,
  })
}

/** The failure that stands for all problems of a reply. */
export function editFailure(problems: readonly EditProblem[]): Failure {
  const message = problemsMessage(problems)
  return { kind: 'edit', message, fingerprint: fingerprintOf({ kind: 'edit', message }) }
}

/** The files while edits are made to them. */
class Bench {
  readonly #before: ReadonlyMap<string, string>
  readonly #given: Readonly<Record<string, string>>
  /** Files that edits have touched; undefined for deleted ones. */
  readonly #touched = new Map<string, FileLines | undefined>()
  readonly #problems: EditProblem[] = []
  readonly #warnings = new Set<string>()
  readonly #budget = new WorkBudget(WORK)

  constructor(files: Readonly<Record<string, string>>) {
    this.#given = files
    this.#before = new Map(Object.entries(files))
  }

  apply(edit: Edit): void {
    if (this.#problems.length >= PROBLEMS_AT_MOST) return
    const fits = (one: string, hunk: EditHunk): boolean => this.#holds(one, hunk)
    const gone = [...this.#touched.keys()].filter((one) => this.#isDeleted(one))
    const { path, problem: wrong, isGuess } = resolvePath(edit, this.#paths(), gone, fits)
    if (path === undefined) {
      if (wrong !== undefined) this.#problems.push(wrong)
      return
    }
    if (isGuess) this.#warnings.add('path-resolved')
    if (edit.change === 'delete') this.#touched.set(path, undefined)
    else if (makesFile(edit, this.#file(path) !== undefined) || (this.#hasText(path) && givesAnew(edit)))
      this.#create(edit, path)
    else this.#modify(edit, path)
  }

  #paths(): string[] {
    const added = [...this.#touched].flatMap(([path, file]) =>
      file !== undefined && !this.#before.has(path) ? [path] : [],
    )
    return [...[...this.#before.keys()].filter((path) => !this.#isDeleted(path)), ...added]
  }

  #isDeleted(path: string): boolean {
    return this.#touched.has(path) && this.#touched.get(path) === undefined
  }

  #file(path: string): FileLines | undefined {
    if (this.#touched.has(path)) return this.#touched.get(path)
    const text = this.#before.get(path)
    return text === undefined ? undefined : toFileLines(text)
  }

  #hasText(path: string): boolean {
    return this.#file(path)?.lines.some((line) => line.trim() !== '') === true
  }

  /** True when an edit without a path fits into a file. */
  #holds(path: string, hunk: EditHunk): boolean {
    const file = this.#file(path)
    if (file === undefined) return false
    const { kind } = applyHunk(file, hunk, START, this.#budget)
    return kind === 'applied' || kind === 'already-applied'
  }

  #create(edit: Edit, path: string): void {
    const lines = edit.hunks.flatMap(({ readings }) => side(readings[0] ?? [], 'new'))
    const noNewline = edit.hunks.some(({ newNoNewline }) => newNoNewline)
    const ends = lines.map(() => '\n')
    const file: FileLines = { mark: '', lines, ends, hasFinalNewline: !noNewline }
    const old = this.#file(path)
    if (old !== undefined && this.#hasText(path)) {
      if (toText(old).trimEnd() === toText(file).trimEnd()) this.#warnings.add('already-applied')
      else this.#problems.push(problem('file-exists', { path, line: edit.line }))
      return
    }
    this.#keep(edit, path, file, old)
  }

  #modify(edit: Edit, path: string): void {
    const old = this.#file(path)
    if (old === undefined) return
    let file = old
    let context = START
    for (const hunk of edit.hunks) {
      if (this.#problems.length >= PROBLEMS_AT_MOST) break
      const outcome = applyHunk(file, hunk, context, this.#budget)
      if (outcome.kind === 'already-applied') this.#warnings.add('already-applied')
      else if (outcome.kind === 'applied') {
        if (outcome.step !== 'exact') this.#warnings.add('whitespace-adapted')
        file = outcome.file
        context = outcome.context
      } else this.#problems.push(problemOf(outcome, hunk, path, file))
    }
    this.#keep(edit, path, file, old)
  }

  /** Keeps a file as it has become, unless its new lines leave something out. */
  #keep(edit: Edit, path: string, file: FileLines, old: FileLines | undefined): void {
    const comment = leftOutLine(edit, path, old === undefined ? '' : toText(old), file)
    if (comment !== undefined) {
      const detail = JSON.stringify(comment.slice(0, 120))
      this.#problems.push(problem('omission-placeholder', { path, line: edit.line, detail }))
    }
    const { movedTo } = edit
    if (movedTo === undefined) {
      this.#touched.set(path, file)
      return
    }
    if (this.#file(movedTo) !== undefined)
      this.#problems.push(problem('file-exists', { path: movedTo, line: edit.line }))
    this.#touched.set(path, undefined)
    this.#touched.set(movedTo, file)
  }

  result(): AppliedEdits {
    if (this.#problems.length > 0)
      return {
        status: 'failed',
        files: this.#given,
        problems: this.#problems,
        failure: editFailure(this.#problems),
      }
    const files = new Map(this.#before)
    for (const [path, file] of this.#touched) {
      if (file === undefined) files.delete(path)
      else files.set(path, toText(file))
    }
    const touched = [...this.#touched.keys()]
    return {
      status: 'applied',
      files: Object.fromEntries(files),
      changed: touched.filter((path) => files.has(path) && files.get(path) !== this.#before.get(path)),
      deleted: touched.filter((path) => this.#before.has(path) && !files.has(path)),
      warnings: [...this.#warnings],
    }
  }
}

const START: HunkContext = { from: 0, drift: 0 }

function problemOf(outcome: HunkOutcome, { line }: EditHunk, path: string, file: FileLines): EditProblem {
  switch (outcome.kind) {
    case 'ambiguous': {
      const { starts } = outcome
      return problem('ambiguous', {
        path,
        line,
        matches: starts.length,
        lines: starts.slice(0, 10).map((start) => start + 1),
      })
    }
    case 'ambiguous-separator':
    case 'identical':
    case 'too-much-work':
      return problem(outcome.kind, { path, line })
    default: {
      const wanted = outcome.kind === 'no-match' ? outcome.wanted : []
      return problem('no-match', { path, line, nearest: nearestLines(file.lines, wanted) })
    }
  }
}
