// Files of a workspace as an archive, piece by piece; the same files always give the same bytes.
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import { MendloopError } from '../../contract/errors.js'
import { abortSignalSchema } from '../../contract/foreign-values.js'
import { parseOptions } from '../../contract/options.js'
import { requireFiles } from '../../contract/require-parts.js'
import type { FileEntry, WorkspaceFiles } from '../../contract/workspace-files.js'
import { toWorkspacePath } from '../workspace-path.js'
import type { ArchiveFormat } from './archive-format.js'
import { requireNotAborted } from './pieces.js'
import { through } from './through.js'
import { type ContentOf, tarPieces } from './write-tar.js'
import { zipPieces } from './write-zip.js'

/** What is to be put into an archive, and into which. */
export interface ExportArchiveOptions {
  /** Kind of archive. Default `zip`. */
  format?: ArchiveFormat
  /** Files and folders to put in. Default: every file. */
  paths?: readonly string[]
  /** Leaves out each file for which it is false. */
  filter?(file: FileEntry): boolean
  /** Aborting ends the iteration; the error is ABORTED. */
  signal?: AbortSignal
}

const optionsSchema: z.ZodType<ExportArchiveOptions> = z.strictObject({
  format: z.enum(['zip', 'tar', 'tar.gz']).optional(),
  paths: z.array(z.string()).readonly().optional(),
  filter: z
    .custom<(file: FileEntry) => boolean>((value) => typeof value === 'function', 'must be a function')
    .optional(),
  signal: abortSignalSchema.optional(),
})

/**
 * Packs files of a workspace. Names are kept as they are; times and rights are not in a workspace, so every file is dated
 * 1 January 1980. Regular files only: links a program left are not followed and not packed.
 *
 * @returns the archive, piece by piece; files are read as the pieces are asked for, and let go when the iteration ends
 * @throws MendloopError INVALID_OPTION at once; PATH_REFUSED, FILE_UNAVAILABLE, ABORTED in the iteration
 */
export function exportArchive(
  files: WorkspaceFiles,
  options: ExportArchiveOptions = {},
): AsyncIterable<Uint8Array> {
  requireFiles(files, 'exportArchive()')
  const parsed = parseOptions(optionsSchema, options, 'exportArchive()')
  return packed(files, parsed)
}

async function* packed(
  files: WorkspaceFiles,
  { format = 'zip', paths, filter, signal }: ExportArchiveOptions,
): AsyncGenerator<Uint8Array, void> {
  requireNotAborted(signal)
  const chosen = chooseFiles(await files.list(), paths).filter((file) => filter?.(file) ?? true)
  // Elsewhere a name with a backslash leads outside, and one that is not text is another name.
  for (const { path } of chosen) toWorkspacePath(path)
  const content: ContentOf = (file) => contentOf(files, file, signal)
  const pieces = format === 'zip' ? zipPieces(chosen, content) : tarPieces(chosen, content)
  for await (const piece of format === 'tar.gz' ? through(pieces, createGzip()) : pieces) {
    requireNotAborted(signal)
    yield piece
  }
}

function chooseFiles(all: readonly FileEntry[], paths: readonly string[] | undefined): FileEntry[] {
  if (paths === undefined) return [...all]
  const chosen = new Set<FileEntry>()
  for (const given of paths) {
    const path = toWorkspacePath(given)
    const found = all.filter((file) => file.path === path || file.path.startsWith(`${path}/`))
    if (found.length === 0) throw unavailable(path, 'is not in the workspace')
    for (const file of found) chosen.add(file)
  }
  return all.filter((file) => chosen.has(file))
}

/** The archive says the size of a file before its content, so that the two have to agree. */
async function* contentOf(
  files: WorkspaceFiles,
  { path, sizeBytes }: FileEntry,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const piece of files.readStream?.(path) ?? wholeFile(files, path)) {
    requireNotAborted(signal)
    seen += piece.length
    if (seen > sizeBytes) break
    yield piece
  }
  if (seen !== sizeBytes) throw unavailable(path, 'was changed while it was packed')
}

async function* wholeFile(files: WorkspaceFiles, path: string): AsyncGenerator<Uint8Array> {
  yield await files.read(path)
}

const unavailable = (path: string, reason: string): MendloopError<'FILE_UNAVAILABLE'> =>
  new MendloopError(
    'FILE_UNAVAILABLE',
    `The file ${JSON.stringify(path)} ${reason}. files.list() says what is there.`,
    {
      details: { path, reason },
    },
  )
