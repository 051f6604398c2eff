// Builds replies for the tests of this room.
import { extractCandidate } from '../../src/reply/extract-candidate.js'
import type { Extraction, ExtractOptions } from '../../src/reply/extraction.js'

export const fenced = (info: string, code: string, marks = '```'): string =>
  `${marks}${info}\n${code}\n${marks}\n`

/** Extracts Python unless told otherwise. */
export const extract = (text: string, options: Partial<ExtractOptions> = {}): Extraction =>
  extractCandidate(text, { language: 'python', ...options })

/** The code of an extraction, or its status and reason when there is none. */
export const codeOf = (found: Extraction): string =>
  found.status === 'ok' ? found.code : `${found.status}: ${found.reason}`

/** The sentence for the model. */
export const messageOf = (found: Extraction): string => (found.status === 'ok' ? '' : found.failure.message)

/** The files of an extraction. */
export const filesOf = (found: Extraction): Readonly<Record<string, string>> =>
  found.status === 'ok' ? found.candidate.files : {}
