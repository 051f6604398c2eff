// Finds the edits of a reply line by line: in fences and outside of them, and never in the text of a whole file.
import { WorkBudget } from '../work-budget.js'
import type { Edit, EditProblem } from './edit.js'
import { EditFences, type OpenFence } from './edit-fences.js'
import { type Known, pathInLine, type WrittenPath, writtenPath } from './edit-path.js'
import { problem } from './edit-problem.js'
import { headMarker, isPatchEnvelope, isPatchHead, type Marker, mayHoldEdits } from './marker-lines.js'
import { isHunkHead } from './patch-hunk.js'
import { readPatch } from './read-patch.js'
import { readBlock } from './search-replace.js'

/** Lines of a reply that are edits, without the prose around them. */
export interface EditRegion {
  /** Index of the first line, a fence where there is one. */
  readonly from: number
  /** Index behind the last line. */
  readonly to: number
  /** Info string of the fence. */
  readonly tag: string
  /** False when a fence or a block has no end. */
  readonly closed: boolean
  readonly path?: string
}

/** Everything that was found. */
export interface ScannedEdits {
  readonly edits: Edit[]
  readonly problems: EditProblem[]
  readonly warnings: string[]
  readonly regions: EditRegion[]
}

const PROBLEMS_AT_MOST = 50

/** Scans the lines of a reply with LF line ends. */
export class EditScanner {
  readonly #lines: readonly string[]
  readonly #fences: EditFences
  readonly #known: Known
  readonly #found: ScannedEdits = { edits: [], problems: [], warnings: [], regions: [] }
  /** The file of the block before: further blocks need not name it again. */
  #last: WrittenPath | undefined

  constructor(text: string, known: Known) {
    this.#lines = mayHoldEdits(text) ? text.split('\n') : []
    this.#fences = new EditFences(this.#lines, known, new WorkBudget(text.length))
    this.#known = known
  }

  /** Everything there is. */
  scan(): ScannedEdits {
    for (let at = 0; at < this.#lines.length; ) {
      const fence = this.#fences.openedAt(at)
      if (fence !== undefined) {
        at = this.#fences.holdsEdits(fence) ? this.#readFence(fence) : fence.end + 1
        continue
      }
      const next = this.#readAt(at, this.#lines.length, undefined)
      if (next === undefined) at += 1
      else {
        this.#region({ from: at, to: next, tag: '', closed: true })
        at = next
      }
    }
    return this.#found
  }

  #problem(one: EditProblem): void {
    if (this.#found.problems.length < PROBLEMS_AT_MOST) this.#found.problems.push(one)
  }

  #region(region: EditRegion): void {
    const path = this.#last?.path
    this.#found.regions.push({ ...region, ...(path !== undefined && { path }) })
  }

  /** Reads what begins at a line; undefined when nothing does. */
  #readAt(at: number, end: number, fence: OpenFence | undefined): number | undefined {
    const head = headMarker(this.#lines[at])
    if (head !== undefined) return this.#readBlock(at, head, fence)
    const isPatch = isPatchEnvelope(this.#lines[at]) || isPatchHead(this.#lines, at)
    if (!isPatch && (fence === undefined || !isHunkHead(this.#lines[at]))) return undefined
    return this.#readPatch(at, end, fence)
  }

  #readPatch(at: number, end: number, fence: OpenFence | undefined, isHeadless = false): number | undefined {
    const label = fence?.label ?? pathInLine(this.#lines[at - 1], this.#known)
    const found = readPatch(
      this.#lines,
      { at, end, isFenced: fence !== undefined, isHeadless, label },
      this.#known,
    )
    if (found.edits.length === 0 && found.problems.length === 0) return undefined
    this.#found.edits.push(...found.edits)
    for (const one of found.problems) this.#problem(one)
    this.#found.warnings.push(...found.warnings)
    const path = found.edits.at(-1)?.path
    if (path !== undefined) this.#last = { written: path, path }
    return Math.max(found.end, at + 1)
  }

  #readBlock(at: number, head: Marker, fence: OpenFence | undefined): number {
    const written = this.#pathOfBlock(at, head, fence)
    if (written !== undefined) this.#last = written
    const block = readBlock(this.#lines, at, head)
    const line = at + 1
    if (written !== undefined && written.path === undefined)
      this.#problem(problem('path-refused', { path: written.written, line }))
    else if (block.kind !== 'block') this.#problem(problem(block.kind, { path: written?.path, line }))
    else
      this.#found.edits.push({
        form: 'search-replace',
        line,
        change: 'modify',
        hunks: [{ line, readings: block.readings }],
        ...(written?.path !== undefined && { path: written.path }),
      })
    return block.end
  }

  /** In the head, on the line above, in the fence or above it, else that of the block before. */
  #pathOfBlock(at: number, head: Marker, fence: OpenFence | undefined): WrittenPath | undefined {
    if (head.rest !== '') return pathInLine(head.rest, this.#known) ?? writtenPath(head.rest)
    let above = at - 1
    while (above > (fence?.line ?? at - 3) && (this.#lines[above] ?? '').trim() === '') above -= 1
    const own = fence?.line === above ? undefined : pathInLine(this.#lines[above], this.#known)
    return own ?? this.#labelFor(at, fence) ?? this.#last
  }

  /** The fence's label is that of its first block; a later one has it from the block before. */
  #labelFor(at: number, fence: OpenFence | undefined): WrittenPath | undefined {
    if (fence?.label === undefined) return undefined
    for (let index = fence.line + 1; index < at; index++)
      if (headMarker(this.#lines[index]) !== undefined) return undefined
    return fence.label
  }

  #readFence(fence: OpenFence): number {
    let at = fence.line + 1
    let end = fence.end
    if (fence.label !== undefined) this.#last = fence.label
    while (at < end) {
      const next =
        this.#readAt(at, end, fence) ??
        (this.#isHeadless(fence, at) ? this.#readPatch(at, end, fence, true) : undefined)
      at = next ?? at + 1
      // A fence within a block closed nothing: the real one comes after the block.
      if (at > end) end = this.#fences.closer(at, fence)
    }
    this.#region({
      from: fence.line,
      to: Math.min(end + 1, this.#lines.length),
      tag: fence.tag,
      closed: end < this.#lines.length,
    })
    return end + 1
  }

  /** True where a patch without any header begins. */
  #isHeadless(fence: OpenFence, at: number): boolean {
    if (at !== fence.line + 1) return false
    const body = this.#lines.slice(at, fence.end)
    return (
      body.some((line) => /^[-+]/.test(line)) &&
      !body.some(
        (line, index) =>
          isHunkHead(line) ||
          isPatchHead(body, index) ||
          isPatchEnvelope(line) ||
          headMarker(line) !== undefined,
      )
    )
  }
}
