// Two looks at a workspace, compared without holding up the process, however many files there are.
import type { FileChange } from '@mendloop/core'
import { compareWorkspaces, type FileState, type WorkspaceState } from '@mendloop/core/adapter'
import { sortByPath, type Turns } from './turns.js'

/** Files compared at a time. */
const CHUNK = 1024

/** What `compareWorkspaces` gives: a file's change depends on no other file, so parts may be compared one by one. */
export async function compareInTurns(
  before: WorkspaceState,
  after: WorkspaceState,
  turns: Turns,
): Promise<FileChange[]> {
  if (before.size + after.size <= CHUNK) return compareWorkspaces(before, after)
  const changes: FileChange[] = []
  for (const part of partsOf(pairs(before, after))) {
    changes.push(...compareWorkspaces(part.before, part.after))
    if (turns.over) await turns.next()
  }
  return sortByPath(changes, turns)
}

interface Pair {
  readonly path: string
  readonly old: FileState | undefined
  readonly now: FileState | undefined
}

function* pairs(before: WorkspaceState, after: WorkspaceState): Generator<Pair> {
  for (const [path, now] of after) yield { path, old: before.get(path), now }
  for (const [path, old] of before) if (!after.has(path)) yield { path, old, now: undefined }
}

function* partsOf(all: Iterable<Pair>): Generator<{ before: WorkspaceState; after: WorkspaceState }> {
  let [before, after] = [new Map<string, FileState>(), new Map<string, FileState>()]
  let size = 0
  for (const { path, old, now } of all) {
    if (old !== undefined) before.set(path, old)
    if (now !== undefined) after.set(path, now)
    if (++size % CHUNK !== 0) continue
    yield { before, after }
    ;[before, after] = [new Map(), new Map()]
  }
  yield { before, after }
}
