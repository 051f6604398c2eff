// Archives into a workspace: everything is read and checked first, then read again and written.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { abortSignalSchema, isBytes } from '../../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../../contract/options.js'
import { requireFiles } from '../../contract/require-parts.js'
import type { WorkspaceFiles } from '../../contract/workspace-files.js'
import { toWorkspacePath } from '../workspace-path.js'
import type { ReadEntries } from './archive-entry.js'
import { type ArchiveFormat, archiveFormatOf, FORMAT_HEAD_BYTES } from './archive-format.js'
import { type ArchiveLimits, archiveLimitsSchema, DEFAULT_ARCHIVE_LIMITS } from './archive-limits.js'
import { ArchivePlan, type SkippedEntry } from './archive-plan.js'
import { archiveRefused } from './archive-refused.js'
import { type ByteSource, requireNotAborted } from './pieces.js'
import { tarEntries } from './read-tar.js'
import { zipEntries } from './read-zip.js'
import { type Spool, spool } from './spool.js'
import { writeEntries } from './write-entries.js'

/** How an archive is to be taken in. */
export interface ImportArchiveOptions {
  /** Folder of the workspace to unpack into. Default: its root. */
  into?: string
  /** Kind of archive. Default: told by its first bytes. */
  format?: ArchiveFormat
  /** Each that is given replaces the default, {@link DEFAULT_ARCHIVE_LIMITS}. */
  limits?: Partial<ArchiveLimits>
  /** Aborting ends the import; the error is ABORTED. */
  signal?: AbortSignal
}

/** What an import did. */
export interface ImportedArchive {
  /** Kind of archive. */
  readonly format: ArchiveFormat
  /** Files written, sorted by path. */
  readonly files: readonly ImportedFile[]
  /** Entries of which no file was made. */
  readonly skipped: readonly SkippedEntry[]
}

/** A file that came out of an archive. */
export interface ImportedFile {
  /** Path within the workspace. */
  readonly path: string
  /** Size, in bytes. */
  readonly sizeBytes: number
  /** SHA-256 of the content, in hex. */
  readonly sha256: string
  /** True when the archive marks it as a program; a workspace does not keep that, so run it by its interpreter. */
  readonly executable: boolean
}

const optionsSchema: z.ZodType<ImportArchiveOptions> = z.strictObject({
  into: z.string().optional(),
  format: z.enum(['zip', 'tar', 'tar.gz']).optional(),
  limits: archiveLimitsSchema.optional(),
  signal: abortSignalSchema.optional(),
})

/**
 * Unpacks a zip, tar or tar.gz into a workspace, whole or not at all.
 *
 * The archive is unpacked twice: once to check every name, size and checksum, once to write; a third time when there are
 * files to be written over. A large one is kept in a temporary file meanwhile, never in memory. Existing files are written
 * over, as `files.write` does. When writing itself fails (a full disk), files that were not there before are removed again,
 * and files written over keep the new content.
 *
 * @param source - the bytes, or a stream of them: a Node or web stream, a fetch body, an async generator
 * @throws MendloopError ARCHIVE_REFUSED, PATH_REFUSED, INVALID_OPTION, ABORTED: nothing was written then;
 * FILE_UNAVAILABLE; and what `source` throws
 */
export async function importArchive(
  files: WorkspaceFiles,
  source: ByteSource,
  options: ImportArchiveOptions = {},
): Promise<ImportedArchive> {
  const {
    into,
    format: stated,
    limits: given,
    signal,
  } = parseOptions(optionsSchema, options, 'importArchive()')
  requireFiles(files, 'importArchive()')
  requireSource(source)
  requireNotAborted(signal)
  const folder = into === undefined || into === '.' || into === './' ? '' : toWorkspacePath(into)
  const limits = withDefaults(given)
  const archive = await spool(source, { mostBytes: limits.totalBytes + MOST_OVERHEAD_BYTES, signal })
  try {
    const format = stated ?? (await formatOf(archive))
    const plan = new ArchivePlan(limits, folder)
    const entries = entriesOf(archive, format, limits, plan)
    const planned = await check(entries, plan, archive.sizeBytes, signal)
    await writeEntries(entries, planned, files, signal)
    const imported = [...planned.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    return { format, files: imported, skipped: plan.skipped() }
  } finally {
    await archive.close()
  }
}

/** Names, headers and padding may come on top of the files themselves. */
const MOST_OVERHEAD_BYTES = 64 * 1024 ** 2

function withDefaults(given: Partial<ArchiveLimits> = {}): ArchiveLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_ARCHIVE_LIMITS, ...Object.fromEntries(set) }
}

function requireSource(source: unknown): void {
  if (isBytes(source)) return
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source) return
  const expected = 'a Uint8Array or a stream of them'
  const received = source === null ? 'null' : typeof source
  throw invalidOption('importArchive()', 'source', `must be ${expected}`, {
    expected,
    received,
    ...(received === 'string' && { hint: 'of a file, createReadStream(path) of node:fs is one' }),
  })
}

async function formatOf(archive: Spool): Promise<ArchiveFormat> {
  const format = archiveFormatOf(await archive.read(0, FORMAT_HEAD_BYTES))
  if (format === undefined) throw archiveRefused('not-an-archive', 'is no zip, tar or tar.gz file')
  return format
}

function entriesOf(
  archive: Spool,
  format: ArchiveFormat,
  limits: ArchiveLimits,
  plan: ArchivePlan,
): ReadEntries {
  if (format === 'zip') return () => zipEntries(archive, limits.files * MOST_ENTRIES_A_FILE)
  const most = limits.totalBytes + MOST_OVERHEAD_BYTES
  return () => {
    let unpacked = 0
    return tarEntries(archive, format === 'tar.gz', (bytes) => {
      unpacked += bytes
      // Of what is skipped too, which is read and counted nowhere else.
      if (unpacked > most) throw archiveRefused('too-large', `unpacks to more than ${most} bytes`)
      plan.requireRatio(unpacked, archive.sizeBytes)
    })
  }
}

/** A file, and four folders or skipped entries. */
const MOST_ENTRIES_A_FILE = 5

/** The first pass. @returns what is to be written, by the archive's own names */
async function check(
  entries: ReadEntries,
  plan: ArchivePlan,
  archiveBytes: number,
  signal: AbortSignal | undefined,
): Promise<Map<string, ImportedFile>> {
  const planned = new Map<string, ImportedFile>()
  for await (const entry of entries()) {
    requireNotAborted(signal)
    const file = plan.add(entry.name, entry.kind)
    if (file === undefined) continue
    const { name } = file
    // What is declared is refused before it is unpacked, and what is unpacked is counted all the same.
    plan.count(name, entry.sizeBytes, 0)
    if (entry.packedBytes !== undefined) plan.requireRatio(entry.sizeBytes, entry.packedBytes, name)
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of entry.content()) {
      requireNotAborted(signal)
      sizeBytes += piece.length
      plan.count(name, sizeBytes, piece.length)
      hash.update(piece)
    }
    plan.requireRatio(plan.totalBytes, archiveBytes)
    planned.set(name, {
      path: file.path,
      sizeBytes,
      sha256: hash.digest('hex'),
      executable: entry.executable,
    })
  }
  return planned
}
