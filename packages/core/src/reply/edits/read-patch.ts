// Patches → edits, one for each file: unified diffs with or without headers, and the `*** Begin Patch` form.
import type { Edit, EditHunk, EditProblem } from './edit.js'
import { type Known, pathInHead, type WrittenPath, writtenPath } from './edit-path.js'
import { problem } from './edit-problem.js'
import { isFileHead, isPatchEnvelope, isPatchHead } from './marker-lines.js'
import { isHunkHead, readHunk } from './patch-hunk.js'

/** Where a patch stands. */
export interface PatchPlace {
  /** Index of its first line. */
  readonly at: number
  /** Index behind the last line that may belong to it. */
  readonly end: number
  readonly isFenced: boolean
  /** It begins with its lines at once. */
  readonly isHeadless?: boolean
  /** The file, when the patch itself names none. */
  readonly label?: WrittenPath | undefined
}

/** The edits of a patch. */
export interface PatchFound {
  readonly edits: Edit[]
  readonly problems: EditProblem[]
  readonly warnings: string[]
  /** Index behind its last line. */
  readonly end: number
}

interface FileHead {
  readonly change: Edit['change']
  readonly path: WrittenPath | undefined
  readonly movedTo?: WrittenPath | undefined
  readonly at: number
}

const EXTENDED =
  /^(?:index |old mode |new mode |new file mode |deleted file mode |similarity index |dissimilarity index |rename |copy |={20,}$|GIT binary patch|Binary files )/
const OPERATION = /^\*\*\* (Update|Add|Delete) File:\s*(.+?)\s*$/
const MOVE = /^\*\*\* Move to:\s*(.+?)\s*$/

/** Reads the patch at a place, as far as it goes. */
export function readPatch(lines: readonly string[], place: PatchPlace, known: Known): PatchFound {
  const found: PatchFound & { end: number } = { edits: [], problems: [], warnings: [], end: place.at }
  let at = place.at
  while (at < place.end) {
    const head = fileHead(lines, at, place, known, found.edits.length === 0)
    if (head === undefined) {
      // Words between the parts of a patch.
      if (!place.isFenced && !isBlank(lines[at]) && !isPatchEnvelope(lines[at])) break
      at += 1
      continue
    }
    at = readFile(lines, at, head, place, found)
    found.end = at
  }
  if (place.isFenced || /^\*\*\* End Patch/.test(lines[at] ?? '')) found.end = Math.min(at + 1, place.end)
  return found
}

const isBlank = (line: string | undefined): boolean => (line ?? '').trim() === ''

/** The part of a patch that says which file comes now. */
function fileHead(
  lines: readonly string[],
  at: number,
  { label, end, isHeadless = false }: PatchPlace,
  known: Known,
  isFirst: boolean,
): FileHead | undefined {
  const line = lines[at] ?? ''
  const operation = OPERATION.exec(line.slice(0, 600))
  if (operation !== null) return envelopeHead(lines, at, operation)
  if (isPatchHead(lines, at)) return unifiedHead(lines, at, end, known)
  const isBody = isHunkHead(line) || (isFirst && (isHeadless || /^[-+]/.test(line)))
  return isBody ? { change: 'modify', path: label, at } : undefined
}

function envelopeHead(lines: readonly string[], at: number, operation: RegExpExecArray): FileHead {
  const [, what, written = ''] = operation
  const path = writtenPath(written)
  if (what === 'Add') return { change: 'create', path, at: at + 1 }
  if (what === 'Delete') return { change: 'delete', path, at: at + 1 }
  const moved = MOVE.exec((lines[at + 1] ?? '').slice(0, 600))?.[1]
  return moved === undefined
    ? { change: 'modify', path, at: at + 1 }
    : { change: 'modify', path, movedTo: writtenPath(moved), at: at + 2 }
}

/** `diff --git`, its further lines, `---` and `+++`, as many of them as there are. */
function unifiedHead(lines: readonly string[], start: number, end: number, known: Known): FileHead {
  let at = start
  let change: Edit['change'] = 'modify'
  let [old, now]: (WrittenPath | undefined)[] = []
  const head = (lines[at] ?? '').slice(0, 2000)
  const git = /^diff --git (.+)$/.exec(head)?.[1]
  if (git !== undefined) [old, now] = gitPaths(git, known)
  const index = /^Index: (.+)$/.exec(head)?.[1]
  if (index !== undefined) old = now = pathInHead(index, known)
  if (git !== undefined || index !== undefined) at += 1
  for (; at < end && EXTENDED.test(lines[at] ?? ''); at++) {
    const line = (lines[at] ?? '').slice(0, 2000)
    if (line.startsWith('new file mode')) change = 'create'
    if (line.startsWith('deleted file mode')) change = 'delete'
    const renamed = /^rename (from|to) (.+)$/.exec(line)
    if (renamed?.[1] === 'from') old = writtenPath(renamed[2] ?? '')
    if (renamed?.[1] === 'to') now = writtenPath(renamed[2] ?? '')
  }
  if (at < end && isFileHead(lines, at)) {
    old = pathInHead((lines[at] ?? '').slice(4, 2000), known)
    now = pathInHead((lines[at + 1] ?? '').slice(4, 2000), known)
    if (old === undefined) change = 'create'
    else if (now === undefined) change = 'delete'
    at += 2
  }
  const path = change === 'create' ? (now ?? old) : (old ?? now)
  const isMoved = change === 'modify' && now !== undefined && now.written !== path?.written
  return { change, path, at, ...(isMoved && { movedTo: now }) }
}

/** Both paths of `diff --git a/x b/x`, which may hold spaces when they are the same. */
function gitPaths(text: string, known: Known): [WrittenPath | undefined, WrittenPath | undefined] {
  const same = /^a\/(.+) b\/\1$/.exec(text)?.[1]
  if (same !== undefined) return [writtenPath(same), writtenPath(same)]
  const [old, now] = text.split(/\s+/)
  return [pathInHead(old ?? '', known), pathInHead(now ?? '', known)]
}

/** Reads the hunks of one file into `found`; returns the index behind them. */
function readFile(
  lines: readonly string[],
  start: number,
  { change, path, movedTo, at: first }: FileHead,
  { end, isFenced, isHeadless = false }: PatchPlace,
  found: PatchFound,
): number {
  const hunks: EditHunk[] = []
  let at = first
  while (at < end) {
    const line = lines[at] ?? ''
    if (/^\*\*\* End of File/.test(line)) {
      at += 1
      continue
    }
    // Only the first may lack its header: its lines follow the names of the files.
    const isBare = hunks.length === 0 && (isHeadless || /^[-+ ]/.test(line)) && !isPatchHead(lines, at)
    if (!isHunkHead(line) && !isBare) break
    const { hunk, end: next, isRecounted } = readHunk(lines, at, end, isFenced)
    if (next <= at) break
    hunks.push(...withAnchors(hunk))
    if (isRecounted) found.warnings.push('hunk-recounted')
    at = next
  }
  const refused = [path, movedTo].find((one) => one !== undefined && one.path === undefined)
  if (refused !== undefined) {
    found.problems.push(problem('path-refused', { path: refused.written, line: start + 1 }))
    return Math.max(at, first)
  }
  if (hunks.length === 0 && change === 'modify' && movedTo === undefined) {
    found.problems.push(problem('malformed', { path: path?.path, line: start + 1 }))
    return Math.max(at, first, start + 1)
  }
  found.edits.push({
    form: 'patch',
    line: start + 1,
    change,
    hunks,
    ...(path?.path !== undefined && { path: path.path }),
    ...(movedTo?.path !== undefined && { movedTo: movedTo.path }),
  })
  return Math.max(at, first)
}

/** A header without lines only leads to the next one. */
const withAnchors = (hunk: EditHunk): EditHunk[] => ((hunk.readings[0]?.length ?? 0) === 0 ? [] : [hunk])
