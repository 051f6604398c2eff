// Which of the many formats that are zip files inside some bytes are.
import type { FileType } from './file-type.js'

const HEADER = Buffer.from('PK\x03\x04', 'latin1')
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'

/** By a name that only this format has. */
const BY_ENTRY: readonly (readonly [entry: RegExp, type: FileType])[] = [
  [/^xl\//, { mime: `${OFFICE}.spreadsheetml.sheet`, kind: 'document', extension: 'xlsx' }],
  [/^word\//, { mime: `${OFFICE}.wordprocessingml.document`, kind: 'document', extension: 'docx' }],
  [/^ppt\//, { mime: `${OFFICE}.presentationml.presentation`, kind: 'document', extension: 'pptx' }],
  [
    /^AndroidManifest\.xml$/,
    { mime: 'application/vnd.android.package-archive', kind: 'archive', extension: 'apk' },
  ],
  [/^META-INF\/MANIFEST\.MF$/, { mime: 'application/java-archive', kind: 'archive', extension: 'jar' }],
  [/\.dist-info\/(WHEEL|METADATA)$/, { mime: 'application/zip', kind: 'archive', extension: 'whl' }],
  [/^[^/]+\.npy$/, { mime: 'application/x-npz', kind: 'archive', extension: 'npz' }],
]

const EXTENSIONS = new Map([
  ['text', 'odt'],
  ['spreadsheet', 'ods'],
  ['presentation', 'odp'],
])
const PLAIN: FileType = { mime: 'application/zip', kind: 'archive', extension: 'zip' }

/** @param head - the beginning of a zip file */
export function zipContent(head: Buffer): FileType {
  const names = entryNames(head)
  for (const [pattern, type] of BY_ENTRY) if (names.some((name) => pattern.test(name))) return type
  // These write their media type first, and unpacked.
  const stated =
    names[0] === 'mimetype'
      ? head.toString('latin1', 38, 38 + Math.min(100, head.readUInt32LE(18)))
      : undefined
  if (stated === 'application/epub+zip') return { mime: stated, kind: 'document', extension: 'epub' }
  const extension = stated?.startsWith(OPEN_DOCUMENT) && EXTENSIONS.get(stated.slice(OPEN_DOCUMENT.length))
  return stated && extension ? { mime: stated, kind: 'document', extension } : PLAIN
}

function entryNames(head: Buffer): string[] {
  const names: string[] = []
  for (let start = head.indexOf(HEADER); start !== -1; start = head.indexOf(HEADER, start + 4)) {
    if (start + 30 > head.length) break
    names.push(head.toString('latin1', start + 30, start + 30 + head.readUInt16LE(start + 26)))
  }
  return names
}
