// A program that might be right.

/** A program as the model wrote it, every file whole. */
export interface Candidate {
  /** Path within the workspace → text. */
  readonly files: Readonly<Record<string, string>>
  /** The file that is run. */
  readonly entry: string
}
