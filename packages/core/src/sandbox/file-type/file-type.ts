// What a file is, in the words that the rest of the house uses.

/** A family of files that are handled alike. */
export type FileKind =
  | 'text'
  | 'image'
  | 'audio'
  | 'video'
  | 'document'
  | 'archive'
  | 'database'
  | 'font'
  | 'executable'
  | 'binary'
  | 'empty'

/** How the text of a file is encoded; `latin1` is the guess for one-byte text that is not UTF-8. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'

/** What a file is, by its content. */
export interface FileType {
  /** Media type, such as `image/png`; `application/octet-stream` when it is not known. */
  readonly mime: string
  /** What to do with it. */
  readonly kind: FileKind
  /** The usual extension, without the dot; empty when there is none. */
  readonly extension: string
  /** Of text. */
  readonly encoding?: TextEncoding
  /** Of an image in PNG, JPEG, GIF, WebP, BMP or SVG, when the head holds it. */
  readonly dimensions?: {
    /** In pixels. */
    readonly width: number
    /** In pixels. */
    readonly height: number
  }
}
