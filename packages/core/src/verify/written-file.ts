// A file that the program was asked to write, judged by what its run changed: what lies there may be another's.
import { createHash } from 'node:crypto'
import { MendloopError } from '../contract/errors.js'
import type { ExecutionResult, FileChange } from '../contract/execution.js'
import type { VerifyContext } from '../contract/verify.js'
import { toWorkspacePath } from '../sandbox/workspace-path.js'

/** The content, or why there is none to be judged, as a sentence. */
export type WrittenFile = { readonly text: string } | { readonly problem: string }

/** A larger file is not read. */
const LARGEST_BYTES = 32 * 1024 * 1024
const OWN =
  'It is one of the files of the program, which are put back after its run: leave it out of them, and have it written.'
const INPUT =
  'Files that a task hands in are put back after the run, unless the task names them in `outputs`.'

/**
 * The file at `path` as the program's run left it. One that was there before and is as it was is not what the program wrote;
 * nor is one that was put back since.
 */
export async function writtenFile(
  { candidate, sandbox }: VerifyContext,
  execution: ExecutionResult,
  path: string,
): Promise<WrittenFile> {
  const change = execution.changes.find((one) => one.path === path)
  const isOwn = Object.keys(candidate.files).some((one) => toWorkspacePath(one) === path)
  const isUnknown = change === undefined && isUnseen(execution, path) && !isOwn
  if (!isUnknown && (change === undefined || change.kind === 'deleted'))
    return { problem: `The program did not write the file ${path}.${isOwn ? ` ${OWN}` : ''}` }
  const bytes = await contentOf(sandbox, path)
  if (bytes === undefined)
    return { problem: `What the program wrote to ${path} is not there any more, or cannot be read.` }
  if (typeof bytes === 'number')
    return { problem: `The program wrote ${bytes} bytes to ${path}; at most ${LARGEST_BYTES} are read.` }
  if (change !== undefined && (isOwn || isAnother(change, bytes)))
    return { problem: `What the program wrote to ${path} is not there any more. ${isOwn ? OWN : INPUT}` }
  return { text: new TextDecoder().decode(bytes) }
}

/** The content; the size of a file that is too large; undefined when there is none that can be read. */
async function contentOf(
  { files }: VerifyContext['sandbox'],
  path: string,
): Promise<Uint8Array | number | undefined> {
  try {
    const size = (await files.stat(path))?.sizeBytes ?? 0
    return size > LARGEST_BYTES ? size : await files.read(path)
  } catch (error) {
    if (MendloopError.is(error, 'FILE_UNAVAILABLE') || MendloopError.is(error, 'PATH_REFUSED'))
      return undefined
    throw error
  }
}

/** Whether the run may have changed the file without being seen. */
const isUnseen = ({ unseen = [] }: ExecutionResult, path: string): boolean =>
  unseen.some((one) => ['.', '', path].includes(one.path) || path.startsWith(`${one.path}/`))

/** Whether the content is another than the run left. */
const isAnother = ({ sha256, sizeBytes = 0 }: FileChange, bytes: Uint8Array): boolean =>
  sha256 === undefined
    ? bytes.byteLength !== sizeBytes
    : createHash('sha256').update(bytes).digest('hex') !== sha256
