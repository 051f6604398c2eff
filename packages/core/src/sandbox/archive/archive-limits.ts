// How large an archive may be, and why these are the numbers.
import { z } from 'zod'

/** Bounds of one import. */
export interface ArchiveLimits {
  /** Files written; of everything else (folders, skipped entries) there may be four times as many. Default 10 000. */
  files: number
  /** All files together, unpacked, in bytes. Default 1 GiB. */
  totalBytes: number
  /** One file, unpacked, in bytes. Default 100 MiB. */
  fileBytes: number
  /** Unpacked bytes for each packed byte, of one file and of all, once there are more than 10 MiB. Default 200. */
  ratio: number
  /** Folders above a file. Default 32. */
  depth: number
  /** One path, in bytes. Default 1024. */
  pathBytes: number
}

/**
 * The limits of an import for which nothing was asked.
 *
 * `fileBytes` is what people may upload elsewhere (100 MB); `totalBytes` and `files` hold any project that is worth a
 * sandbox and none that fills a disk; text packs to a fifth and logs to a fiftieth, while a bomb needs a thousandth;
 * `depth` and `pathBytes` are a third of what file systems take, beyond anything that people make.
 */
export const DEFAULT_ARCHIVE_LIMITS: Readonly<ArchiveLimits> = Object.freeze({
  files: 10_000,
  totalBytes: 1024 ** 3,
  fileBytes: 100 * 1024 ** 2,
  ratio: 200,
  depth: 32,
  pathBytes: 1024,
})

/** Below this many bytes any ratio is harmless: a file of zeros packs to a thousandth. */
export const RATIO_FREE_BYTES = 10 * 1024 ** 2

const positiveInteger = z.int('must be a whole number').positive('must be more than 0')

/** Schema of a partial set of archive limits. */
export const archiveLimitsSchema: z.ZodType<Partial<ArchiveLimits>> = z.strictObject({
  files: positiveInteger.optional(),
  totalBytes: positiveInteger.optional(),
  fileBytes: positiveInteger.optional(),
  ratio: z.number().positive('must be more than 0').optional(),
  depth: positiveInteger.optional(),
  pathBytes: positiveInteger.optional(),
})
