// Which names a workspace can hold: relative, forward slashes, never outside. Links are the file system's business.
import { MendloopError } from '../contract/errors.js'
import { isBytes } from '../contract/foreign-values.js'
import { invalidOption } from '../contract/options.js'

/** NAME_MAX of the file systems in use. */
const LONGEST_NAME_BYTES = 255
/** Leaves room for the workspace's own path below PATH_MAX (4096). */
const LONGEST_PATH_BYTES = 3072

/** The error for a path that is refused. */
export const pathRefused = (path: string, reason: string): MendloopError<'PATH_REFUSED'> =>
  new MendloopError(
    'PATH_REFUSED',
    `The path ${JSON.stringify(path.slice(0, 200))} ${reason}. Use a relative path within the workspace, such as "data/input.csv".`,
    { details: { path, reason } },
  )

/**
 * Resolves a path lexically: `a/b/../c.txt` becomes `a/c.txt`.
 *
 * @returns the path in its one canonical form, never empty and never outside
 * @throws MendloopError PATH_REFUSED
 */
export function toWorkspacePath(path: string): string {
  if (typeof path !== 'string') throw pathRefused(String(path), 'is not a string')
  if (path === '') throw pathRefused(path, 'is empty')
  if (path.includes('\0')) throw pathRefused(path, 'holds a NUL byte')
  if (/\p{Surrogate}/u.test(path)) throw pathRefused(path, 'holds half a character')
  if (path.includes('\\')) throw pathRefused(path, 'holds a backslash')
  if (path.startsWith('/') || /^[A-Za-z]:(\/|$)/.test(path)) throw pathRefused(path, 'is absolute')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) throw pathRefused(path, 'leaves the workspace')
  }
  const resolved = parts.join('/')
  if (resolved === '') throw pathRefused(path, 'names the workspace itself')
  if (parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME_BYTES))
    throw pathRefused(path, `has a name longer than ${LONGEST_NAME_BYTES} bytes`)
  if (Buffer.byteLength(resolved) > LONGEST_PATH_BYTES)
    throw pathRefused(path, `is longer than ${LONGEST_PATH_BYTES} bytes`)
  return resolved
}

/**
 * Checks a whole set of files before the first is written.
 *
 * @returns canonical path → bytes
 * @throws MendloopError PATH_REFUSED when any path is refused, or two cannot both be files; INVALID_OPTION
 */
export function toWorkspaceFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): Map<string, Uint8Array> {
  requirePlainObject(files)
  const checked = new Map<string, Uint8Array>()
  for (const [path, content] of Object.entries(files)) {
    const resolved = toWorkspacePath(path)
    if (/(^|\/)\.{0,2}$/.test(path)) throw pathRefused(path, 'names a folder')
    // Elsewhere just a name; there, the present folder of another drive.
    if (/^[A-Za-z]:/.test(path)) throw pathRefused(path, 'begins with a drive of Windows')
    if (checked.has(resolved)) throw pathRefused(path, `names the file "${resolved}" a second time`)
    if (typeof content !== 'string' && !isBytes(content))
      throw invalidOption('files.write()', path, 'must be a string or a Uint8Array', {
        expected: 'a string or a Uint8Array',
        received: typeof content,
      })
    checked.set(resolved, typeof content === 'string' ? Buffer.from(content) : content)
  }
  for (const path of checked.keys())
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      if (checked.has(path.slice(0, slash)))
        throw pathRefused(path, `needs "${path.slice(0, slash)}" to be a folder`)
  return checked
}

/** A path and its content as two arguments, a list or a map would be written as something else, or as nothing. */
function requirePlainObject(files: unknown): void {
  if (typeof files === 'object' && files !== null && !Array.isArray(files) && !(Symbol.iterator in files))
    return
  throw invalidOption('files.write()', '', 'must be given an object of contents by path', {
    expected: 'an object of contents by path',
    received: files === null ? 'null' : typeof files,
    hint: "write({ 'a.txt': 'content' })",
  })
}
