// The files of a workspace, as the host sees them.

/** The files of one workspace. Paths are relative, with forward slashes; one that leaves the workspace is refused. */
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
  /** Every regular file, sorted by path. */
  list(): Promise<readonly FileEntry[]>
  /** One file, or undefined when there is none. @throws MendloopError PATH_REFUSED */
  stat(path: string): Promise<FileEntry | undefined>
  /** Removes a file or a whole folder; one that is not there is no error. @throws MendloopError PATH_REFUSED */
  remove(path: string): Promise<void>
}

/** A file in a workspace. */
export interface FileEntry {
  /** Path within the workspace, with forward slashes. */
  readonly path: string
  /** Size in bytes. */
  readonly sizeBytes: number
}
