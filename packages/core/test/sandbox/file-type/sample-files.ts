// The smallest real files of many kinds, made here.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import { crc32, deflateSync, gzipSync } from 'node:zlib'
import { makeTar } from '../archive/make-tar.js'
import { makeZip } from '../archive/make-zip.js'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex')

/** A picture of one colour. */
export function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([latin1(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const rows = deflateSync(Buffer.alloc((width + 1) * height))
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Markers and a frame header behind a preview of some size; nothing to see. */
export function jpeg(width: number, height: number, previewBytes = 0): Buffer {
  const preview = Buffer.alloc(previewBytes + 4, 0xff)
  preview.writeUInt16BE(0xffe1)
  preview.writeUInt16BE(previewBytes + 2, 2)
  const frame = hex('ffc2 000b 08 0000 0000 01 01 11 00')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([
    hex('ffd8 ffe0 0010 4a46494600 0101 00 0001 0001 00 00'),
    preview,
    frame,
    hex('ffd9'),
  ])
}

const zipOf = (...names: string[]): Buffer => makeZip(names.map((name) => ({ name, content: 'x' })))
const stored = (mime: string): Buffer =>
  makeZip([{ name: 'mimetype', content: mime, method: 0 }, { name: 'content.xml' }])

/** A program of this machine. */
function ownExecutable(): Buffer {
  const bytes = Buffer.alloc(4096)
  const descriptor = openSync(process.execPath, 'r')
  readSync(descriptor, bytes, 0, bytes.length, 0)
  closeSync(descriptor)
  return bytes
}

/** Written by the database itself. */
export const sqlite = (): Buffer =>
  execFileSync('python3', [
    '-c',
    'import sqlite3, sys, tempfile, os; name = os.path.join(tempfile.mkdtemp(), "a"); d = sqlite3.connect(name);' +
      'd.execute("create table t (a)"); d.commit(); d.close(); sys.stdout.buffer.write(open(name, "rb").read());' +
      'os.remove(name); os.rmdir(os.path.dirname(name))',
  ])

/** File, media type, kind, extension and, of a picture, width and height. */
export const BINARY_FILES: readonly (readonly [
  Buffer,
  string,
  string,
  string,
  (readonly [number, number])?,
])[] = [
  [png(3, 5), 'image/png', 'image', 'png', [3, 5]],
  [jpeg(640, 480), 'image/jpeg', 'image', 'jpg', [640, 480]],
  [jpeg(640, 480, 30_000), 'image/jpeg', 'image', 'jpg', [640, 480]],
  [hex('474946383961 0200 0300 80 00 00 000000 ffffff'), 'image/gif', 'image', 'gif', [2, 3]],
  [
    hex('52494646 1a000000 57454250 5650384c 0d000000 2f 02800000 0000000000000000'),
    'image/webp',
    'image',
    'webp',
    [3, 3],
  ],
  [
    hex('52494646 1e000000 57454250 56503858 0a000000 00 000000 0f0000 070000 00000000'),
    'image/webp',
    'image',
    'webp',
    [16, 8],
  ],
  [
    hex('52494646 1e000000 57454250 56503820 12000000 300100 9d012a 2c01 c800 00'),
    'image/webp',
    'image',
    'webp',
    [300, 200],
  ],
  [
    hex('424d 46000000 00000000 36000000 28000000 02000000 feffffff 0100 1800'),
    'image/bmp',
    'image',
    'bmp',
    [2, 2],
  ],
  [hex('49492a00 08000000'), 'image/tiff', 'image', 'tiff'],
  [latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'), 'application/pdf', 'document', 'pdf'],
  [latin1('\xef\xbb\xbf%PDF-1.4\n%%EOF'), 'application/pdf', 'document', 'pdf'],
  [latin1('\r\n%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'), 'application/pdf', 'document', 'pdf'],
  [latin1('\0\0\0\x18ftypmif1\0\0\0\0mif1heic'), 'image/heic', 'image', 'heic'],
  [latin1('\0\0\0\x18ftypheix\0\0\0\0'), 'image/heic', 'image', 'heic'],
  [hex('cafebabe 00000002 01000007'), 'application/x-mach-binary', 'executable', 'macho'],
  [hex('cafebabe 00000041 0010'), 'application/java-vm', 'executable', 'class'],
  [zipOf('a.txt'), 'application/zip', 'archive', 'zip'],
  [makeZip([]), 'application/zip', 'archive', 'zip'],
  [
    zipOf('[Content_Types].xml', 'xl/workbook.xml'),
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'document',
    'xlsx',
  ],
  [
    zipOf('[Content_Types].xml', 'word/document.xml'),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'document',
    'docx',
  ],
  [
    stored('application/vnd.oasis.opendocument.spreadsheet'),
    'application/vnd.oasis.opendocument.spreadsheet',
    'document',
    'ods',
  ],
  [stored('application/epub+zip'), 'application/epub+zip', 'document', 'epub'],
  [zipOf('META-INF/MANIFEST.MF', 'A.class'), 'application/java-archive', 'archive', 'jar'],
  [gzipSync('text'), 'application/gzip', 'archive', 'gz'],
  [makeTar([{ name: 'a' }]), 'application/x-tar', 'archive', 'tar'],
  [latin1('PAR1\x15\0\x15\x10'), 'application/vnd.apache.parquet', 'database', 'parquet'],
  [hex('0061736d 01000000'), 'application/wasm', 'executable', 'wasm'],
  ...(process.platform === 'linux'
    ? [[ownExecutable(), 'application/x-elf', 'executable', 'elf'] as const]
    : []),
  [
    Buffer.concat([latin1('MZ'), Buffer.alloc(58), hex('40000000'), latin1('PE\0\0d\x86')]),
    'application/vnd.microsoft.portable-executable',
    'executable',
    'exe',
  ],
  [latin1('ID3\x04\0\0\0\0\0\0'), 'audio/mpeg', 'audio', 'mp3'],
  [hex('fffb9064 00000000'), 'audio/mpeg', 'audio', 'mp3'],
  [latin1('\0\0\0\x18ftypisom\0\0\x02\0'), 'video/mp4', 'video', 'mp4'],
  [latin1('OggS\0\x02'), 'audio/ogg', 'audio', 'ogg'],
  [hex('52494646 24000000 57415645 666d7420'), 'audio/wav', 'audio', 'wav'],
  [latin1('\x93NUMPY\x01\0'), 'application/x-npy', 'binary', 'npy'],
]
