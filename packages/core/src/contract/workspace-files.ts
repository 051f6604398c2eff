// The files of a workspace, as the host sees them.

/**
 * The files of one workspace. Paths are relative, with forward slashes; one that leaves the workspace is refused. A program
 * may give a file a name that `write` refuses (with a backslash, or with bytes that are not text); under the path by
 * which it is listed it can be read, looked at and removed all the same.
 */
export interface WorkspaceFiles {
  /**
   * Writes files, all or none: every path is checked before the first byte is written. Parent folders are made.
   *
   * @throws MendloopError PATH_REFUSED
   */
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>
  /**
   * Reads one regular file; links are not followed.
   *
   * @throws MendloopError PATH_REFUSED, FILE_UNAVAILABLE
   */
  read(path: string): Promise<Uint8Array>
  /** Reads one file as UTF-8. @throws MendloopError PATH_REFUSED, FILE_UNAVAILABLE */
  readText(path: string): Promise<string>
  /**
   * Reads a part of one file, for files too large to hold. Where it is absent, the whole file is read.
   *
   * @param range - `offset` and `length` in bytes; beyond the end there are fewer, or none
   * @throws MendloopError PATH_REFUSED, FILE_UNAVAILABLE
   */
  readRange?(path: string, range: { offset: number; length: number }): Promise<Uint8Array>
  /**
   * Reads one file piece by piece; the file is let go when the iteration ends, early or not. Where it is absent, the
   * whole file is read.
   *
   * @throws MendloopError PATH_REFUSED, FILE_UNAVAILABLE, when the iteration starts
   */
  readStream?(path: string): AsyncIterable<Uint8Array>
  /**
   * Writes one file piece by piece, so that it need not fit into memory; it appears when it is complete, and not at all
   * when `content` throws. Where it is absent, the pieces are gathered first.
   *
   * @throws MendloopError PATH_REFUSED, FILE_UNAVAILABLE; and what `content` throws
   */
  writeStream?(path: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Every regular file, sorted by path; without what is in folders that a program has closed. */
  list(): Promise<readonly FileEntry[]>
  /** One file, or undefined when there is none. @throws MendloopError PATH_REFUSED */
  stat(path: string): Promise<FileEntry | undefined>
  /** Removes a file or a whole folder; one that is not there is no error. @throws MendloopError PATH_REFUSED */
  remove(path: string): Promise<void>
}

/** A file in a workspace. */
export interface FileEntry {
  /** Path within the workspace, with forward slashes; bytes that are not UTF-8 are U+DC80 to U+DCFF, as in Python. */
  readonly path: string
  /** Size in bytes. */
  readonly sizeBytes: number
}
