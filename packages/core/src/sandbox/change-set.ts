// What an execution did to the files: two looks at a workspace, compared.
import type { FileChange } from '../contract/execution.js'

/** One file at one moment. */
export interface FileState {
  /** Size, in bytes. */
  readonly sizeBytes: number
  /** SHA-256 of the content, in hex; absent where it is not known or the file cannot be read. */
  readonly sha256?: string
  /** What it is where it is no regular file. */
  readonly type?: FileChange['type']
}

/** Every file of a workspace at one moment, by canonical path. */
export type WorkspaceState = ReadonlyMap<string, FileState>

/**
 * The files that differ between two moments, sorted by path. Content decides: a file written anew with the same bytes
 * has not changed. Two states that are the same object are equal; without a hash on both sides they are not.
 */
export function compareWorkspaces(before: WorkspaceState, after: WorkspaceState): FileChange[] {
  const changes: FileChange[] = []
  for (const [path, state] of after) {
    const old = before.get(path)
    if (old !== undefined && sameContent(old, state)) continue
    const { sizeBytes, sha256, type } = state
    const kind = old === undefined ? 'created' : 'modified'
    changes.push({ path, kind, ...(type && { type }), sizeBytes, ...(sha256 !== undefined && { sha256 }) })
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push({ path, kind: 'deleted' })
  // By code unit, so that the order is the same on every machine.
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const sameContent = (a: FileState, b: FileState): boolean =>
  a === b || (a.sha256 !== undefined && a.sha256 === b.sha256)
