// An entry of an archive, whichever kind of archive it is in.
import type { EntryKind } from './archive-plan.js'

/** The next entry of an archive. */
export interface ArchiveEntry {
  readonly name: string
  readonly kind: EntryKind
  /** As declared; what is unpacked is counted besides. */
  readonly sizeBytes: number
  /** Packed, where the archive says so. */
  readonly packedBytes: number | undefined
  /** The archive marks it as a program. */
  readonly executable: boolean
  /** Its content, checked as it is read; good until the next entry is asked for. */
  content(): AsyncIterable<Uint8Array>
}

/** Reads every entry, in order; again from the start with each call. */
export type ReadEntries = () => AsyncIterable<ArchiveEntry>
