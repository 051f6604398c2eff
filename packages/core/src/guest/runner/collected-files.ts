// The files an execution left behind, put together from pieces under the caps that were asked for.
import type { RunnerFile } from '../../contract/fork-runner.js'
import { toWorkspacePath } from '../../sandbox/workspace-path.js'
import { RunnerFault } from './frame-stream.js'
import type { FileHead } from './messages.js'

/** Most bytes of one piece. */
const MOST_PIECE_BYTES = 1024 * 1024

interface Collected {
  readonly sizeBytes: number
  /** Undefined for a name that a workspace path cannot say, such as one with a backslash: a program may use those. */
  readonly content: Uint8Array | undefined
  filledBytes: number
  complete: boolean
}

/** Takes the pieces of one execution. */
export class CollectedFiles {
  readonly #caps: { readonly files: number; readonly bytes: number }
  readonly #files = new Map<string, Collected>()
  #bytes = 0

  /** @param caps - what was asked for; when absent, no file at all */
  constructor(caps: { readonly files: number; readonly bytes: number } = { files: 0, bytes: 0 }) {
    this.#caps = caps
  }

  /** @throws RunnerFault for what an honest runner does not send */
  add({ path, sizeBytes, offset }: FileHead, data: Uint8Array): void {
    const file = this.#files.get(path) ?? this.#begin(path, sizeBytes)
    const fits = offset === file.filledBytes && offset + data.length <= sizeBytes
    if (file.complete || file.sizeBytes !== sizeBytes || !fits || data.length > MOST_PIECE_BYTES)
      throw new RunnerFault(`it sent a piece of the file ${shown(path)} that does not fit`)
    file.content?.set(data, offset)
    file.filledBytes += data.length
    file.complete = file.filledBytes === sizeBytes
  }

  /**
   * Ends the collection.
   *
   * @param withheld - what stays after all, also when some of it has come
   * @returns the files by path, and the names that cannot be given
   * @throws RunnerFault when a file is not complete, or one is in the place of another's folder
   */
  finish(withheld: readonly string[] = []): { files: RunnerFile[]; unnameable: string[] } {
    for (const path of withheld) this.#files.delete(path)
    const files: RunnerFile[] = []
    const unnameable: string[] = []
    for (const [path, { content, complete }] of this.#files) {
      if (!complete) throw new RunnerFault(`it did not send all of the file ${shown(path)}`)
      for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
        if (this.#files.has(path.slice(0, slash)))
          throw new RunnerFault(`it sent a file in the place of a folder of ${shown(path)}`)
      if (content === undefined) unnameable.push(path)
      else files.push({ path, content })
    }
    return { files, unnameable }
  }

  #begin(path: string, sizeBytes: number): Collected {
    this.#bytes += sizeBytes
    if (this.#files.size >= this.#caps.files || this.#bytes > this.#caps.bytes)
      throw new RunnerFault('it sent more files than were asked for')
    const content = isNameable(path) ? new Uint8Array(sizeBytes) : undefined
    const file = { sizeBytes, content, filledBytes: 0, complete: false }
    this.#files.set(path, file)
    return file
  }
}

/** @throws RunnerFault for a path that no walk through a folder can give */
function isNameable(path: string): boolean {
  if (path.includes('\0') || path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw new RunnerFault(`it sent a file by the path ${shown(path)}`)
  try {
    return toFoundPath(path) === path
  } catch {
    return false
  }
}

/** Bytes that are not UTF-8, as they stand in a name. */
const BYTES = /[\uDC80-\uDCFF]/gu

/**
 * As {@link toWorkspacePath}, also for what only a program can call a file: bytes that are not UTF-8.
 *
 * @throws MendloopError PATH_REFUSED
 */
export function toFoundPath(path: string): string {
  const text = path.replace(BYTES, 'x')
  return text !== path && toWorkspacePath(text) === text ? path : toWorkspacePath(path)
}

const shown = (path: string): string => JSON.stringify(path.slice(0, 200))
