// A reply in, its edits out. Pure, and never throws on any text.
import { invalidOption, parseOptions } from '../../contract/options.js'
import { type ExtractEditsOptions, type ExtractedEdits, extractEditsOptionsSchema } from './edit.js'
import { EditScanner } from './scan-edits.js'

/**
 * Finds the edits of a reply: search/replace blocks and patches, in fences or outside of them, for any number of files.
 *
 * - Blocks: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, also `ORIGINAL` and `UPDATED`, five to nine characters. The
 *   path stands behind the head, on a line above it, in the fence's info string or above the fence; a block without one
 *   is for the file of the block before. Without a search text a block makes a new file.
 * - Patches: `diff --git`, `---` and `+++`, `/dev/null` for files that come or go, with or without line numbers; and the
 *   `*** Begin Patch` form. Counts of a header that are wrong are counted anew, with the warning `hunk-recounted`.
 *
 * A whole file in whose text such marks occur is no edit.
 *
 * @param text - text of a reply, or a patch alone
 * @throws MendloopError INVALID_OPTION for options that do not fit or a text that is none; never because of what it says
 */
export function extractEdits(text: string, options: ExtractEditsOptions = {}): ExtractedEdits {
  const { files = {} } = parseOptions(extractEditsOptionsSchema, options, 'extractEdits()')
  if (typeof text !== 'string')
    throw invalidOption('extractEdits()', 'text', 'must be a text', {
      expected: 'a string',
      received: text === null ? 'null' : typeof text,
    })
  const plain = text.replace(/^\ufeff/, '').replace(/\r\r\n|\r\n|\r/g, '\n')
  const { edits, problems, warnings } = new EditScanner(plain, files).scan()
  return { edits, problems, warnings: [...new Set(warnings)] }
}
