// Bytes by which formats are known, most of them from the formats' own specifications.
import type { FileKind } from './file-type.js'

/** A format and the bytes it has at one place. */
export interface Signature {
  readonly mime: string
  readonly kind: FileKind
  readonly extension: string
  /** One character a byte. */
  readonly bytes: string
  /** Where they stand. Default 0. */
  readonly offset?: number
  /** Bytes that must stand elsewhere as well. */
  readonly also?: readonly { readonly bytes: string; readonly offset: number }[]
}

const of = (
  kind: FileKind,
  mime: string,
  extension: string,
  bytes: string,
  rest: Pick<Signature, 'offset' | 'also'> = {},
): Signature => ({ kind, mime, extension, bytes, ...rest })

const riff = (name: string): Pick<Signature, 'also'> => ({ also: [{ bytes: name, offset: 8 }] })

/** In order: the first that fits is it. */
const SIGNATURES: readonly Signature[] = [
  of('image', 'image/png', 'png', '\x89PNG\r\n\x1a\n'),
  of('image', 'image/jpeg', 'jpg', '\xff\xd8\xff'),
  of('image', 'image/gif', 'gif', 'GIF87a'),
  of('image', 'image/gif', 'gif', 'GIF89a'),
  of('image', 'image/webp', 'webp', 'RIFF', riff('WEBP')),
  of('image', 'image/tiff', 'tiff', 'II*\0'),
  of('image', 'image/tiff', 'tiff', 'MM\0*'),
  of('image', 'image/bmp', 'bmp', 'BM', { also: [{ bytes: '\0\0\0\0', offset: 6 }] }),
  of('image', 'image/x-icon', 'ico', '\0\0\x01\0', { also: [{ bytes: '\0', offset: 5 }] }),
  of('image', 'image/avif', 'avif', 'ftypavif', { offset: 4 }),
  of('image', 'image/avif', 'avif', 'ftypavis', { offset: 4 }),
  ...['heic', 'heix', 'heim', 'heis', 'mif1', 'msf1'].map((brand) =>
    of('image', 'image/heic', 'heic', `ftyp${brand}`, { offset: 4 }),
  ),
  of('audio', 'audio/wav', 'wav', 'RIFF', riff('WAVE')),
  of('video', 'video/x-msvideo', 'avi', 'RIFF', riff('AVI ')),
  of('audio', 'audio/mpeg', 'mp3', 'ID3'),
  of('audio', 'audio/flac', 'flac', 'fLaC'),
  of('audio', 'audio/ogg', 'ogg', 'OggS'),
  of('audio', 'audio/midi', 'mid', 'MThd'),
  of('audio', 'audio/mp4', 'm4a', 'ftypM4A', { offset: 4 }),
  of('video', 'video/quicktime', 'mov', 'ftypqt', { offset: 4 }),
  of('video', 'video/mp4', 'mp4', 'ftyp', { offset: 4 }),
  of('video', 'video/webm', 'webm', '\x1a\x45\xdf\xa3'),
  of('document', 'application/pdf', 'pdf', '%PDF-'),
  // What some servers and editors put before it, which readers pass over.
  ...['\xef\xbb\xbf', '\n', '\r\n', '\n\n', '\r\n\r\n'].map((before) =>
    of('document', 'application/pdf', 'pdf', `${before}%PDF-`),
  ),
  of('document', 'application/x-ole-storage', 'doc', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  of('document', 'application/rtf', 'rtf', '{\\rtf'),
  of('document', 'application/postscript', 'ps', '%!PS'),
  of('archive', 'application/gzip', 'gz', '\x1f\x8b'),
  of('archive', 'application/x-bzip2', 'bz2', 'BZh', { also: [{ bytes: '1AY&SY', offset: 4 }] }),
  of('archive', 'application/x-xz', 'xz', '\xfd7zXZ\0'),
  of('archive', 'application/zstd', 'zst', '\x28\xb5\x2f\xfd'),
  of('archive', 'application/x-7z-compressed', '7z', '7z\xbc\xaf\x27\x1c'),
  of('archive', 'application/vnd.rar', 'rar', 'Rar!\x1a\x07'),
  of('archive', 'application/x-lz4', 'lz4', '\x04\x22\x4d\x18'),
  of('database', 'application/vnd.sqlite3', 'sqlite', 'SQLite format 3\0'),
  of('database', 'application/vnd.apache.parquet', 'parquet', 'PAR1'),
  of('database', 'application/vnd.apache.arrow.file', 'arrow', 'ARROW1\0\0'),
  of('database', 'application/x-hdf5', 'h5', '\x89HDF\r\n\x1a\n'),
  of('database', 'application/avro', 'avro', 'Obj\x01'),
  of('binary', 'application/x-npy', 'npy', '\x93NUMPY'),
  of('executable', 'application/wasm', 'wasm', '\0asm'),
  of('executable', 'application/x-elf', 'elf', '\x7fELF'),
  of('executable', 'application/x-mach-binary', 'macho', '\xcf\xfa\xed\xfe'),
  // A count of programs, of which there are few; a class has its version there, of which the first was 45.
  ...['\x01', '\x02', '\x03', '\x04'].map((count) =>
    of('executable', 'application/x-mach-binary', 'macho', `\xca\xfe\xba\xbe\0\0\0${count}`),
  ),
  of('executable', 'application/java-vm', 'class', '\xca\xfe\xba\xbe'),
  of('font', 'font/woff', 'woff', 'wOFF'),
  of('font', 'font/woff2', 'woff2', 'wOF2'),
  of('font', 'font/otf', 'otf', 'OTTO'),
  of('font', 'font/ttf', 'ttf', '\0\x01\0\0\0'),
]

/** The first signature that fits. */
export function signatureOf(head: Buffer): Signature | undefined {
  const has = (bytes: string, offset: number): boolean =>
    head.length >= offset + bytes.length && head.toString('latin1', offset, offset + bytes.length) === bytes
  return SIGNATURES.find(
    ({ bytes, offset = 0, also = [] }) =>
      has(bytes, offset) && also.every((other) => has(other.bytes, other.offset)),
  )
}
