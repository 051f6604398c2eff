// Runs a program as a process of its own, in a folder of the workspace that is gone afterwards: slower, same results.
import { randomBytes } from 'node:crypto'
import { MendloopError } from '../../contract/errors.js'
import type { ExecutionResult, FileChange, Outcome, UnseenPlace } from '../../contract/execution.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { isIn, MOST_FILE_BYTES, MOST_FILES, type Remains, toProgramResult } from './program-result.js'
import type { CheckedOptions, CheckedRun, ProgramResult } from './program-run.js'

/** Runs it. @throws what `sandbox.exec` and `sandbox.files` throw */
export async function runAsProcess(
  sandbox: Sandbox,
  { files, entry, args, stdin, env, cwd }: CheckedRun,
  options: CheckedOptions,
): Promise<ProgramResult> {
  const own = `mendloop-run-${randomBytes(9).toString('hex')}`
  const folder = `${own}/work`
  const temporary = `${own}/tmp`
  const home = `${sandbox.workdir}/${temporary}`
  const { limits, signal, onOutput } = options
  try {
    const placeholder = `${temporary}/empty`
    await sandbox.files.write({
      ...Object.fromEntries([...files].map(([path, bytes]) => [`${folder}/${path}`, bytes])),
      [placeholder]: '',
    })
    // What is left is the folder that it was in.
    await sandbox.files.remove(placeholder)
    const execution = await sandbox.exec(
      {
        // As a path of its own, because the working directory may be another folder.
        argv: ['python3', '-u', '-B', `${sandbox.workdir}/${folder}/${entry}`, ...args],
        cwd: cwd === '' ? folder : `${folder}/${cwd}`,
        // Its own, as in the runner: nothing that it leaves there comes upon the next one.
        env: { HOME: home, TMPDIR: home, ...env },
        ...(stdin !== undefined && { stdin }),
      },
      { ...(limits && { limits }), ...(signal && { signal }), ...(onOutput && { onOutput }) },
    )
    const remains = await remainsOf(sandbox, folder, execution.changes, options)
    const { changes: _, ok: __, unseen: places, ...rest } = execution
    const unseen = places && within(folder, places)
    const seen = { ...rest, ...(unseen && { unseen }), outcome: outcomeOfPython(execution) }
    return toProgramResult(seen, remains, options, 'process')
  } finally {
    await removeFolder(sandbox, own)
  }
}

const HEADER = 'Traceback (most recent call last):'
const NOT_ITS_END = /^Exception (?:in thread|ignored)\b/
/** The line of an exception; what follows it are further lines of its message, and notes. */
const EXCEPTION = /^[\w.]+(?::|$)/
const NO_MEMORY = /^(?:\w+\.)*\w*MemoryError(?::|$)/

/** A fork tells that it ran out of memory; of a process only its traceback does, by the name of the exception. */
function outcomeOfPython({ outcome, stderr }: ExecutionResult): Outcome {
  if (outcome.kind !== 'exit' || outcome.code !== 1) return outcome
  const lines = stderr.text.trimEnd().split('\n')
  const start = lines.findLastIndex((line, at) => line === HEADER && !NOT_ITS_END.test(lines[at - 1] ?? ''))
  // Where there is no room for a traceback, its last line stands alone.
  const raised = start === -1 ? lines.at(-1) : lines.slice(start + 1).find((line) => EXCEPTION.test(line))
  return NO_MEMORY.test(raised ?? '') ? { kind: 'resource', limit: 'memory' } : outcome
}

/** What was not looked at below a folder, by its path there; undefined when all was. A place above holds all of it. */
function within(folder: string, places: readonly UnseenPlace[]): readonly UnseenPlace[] | undefined {
  const found = places.flatMap(({ path, reason }) => {
    if (path === '.' || path === folder || folder.startsWith(`${path}/`)) return [{ path: '.', reason }]
    return path.startsWith(`${folder}/`) ? [{ path: path.slice(folder.length + 1), reason }] : []
  })
  return found.length > 0 ? found : undefined
}

async function remainsOf(
  sandbox: Sandbox,
  folder: string,
  all: readonly FileChange[],
  { wanted }: CheckedOptions,
): Promise<Remains> {
  const prefix = `${folder}/`
  const changes = all
    .filter(({ path }) => path.startsWith(prefix))
    .map((change) => ({ ...change, path: change.path.slice(prefix.length) }))
  const contents = new Map<string, Uint8Array>()
  const withheld: string[] = []
  let bytes = 0
  const isFirst = ({ path }: FileChange): boolean => wanted !== true && wanted.some((one) => isIn(one, path))
  const inOrder = [...changes.filter(isFirst), ...changes.filter((change) => !isFirst(change))]
  for (const { path, kind, sizeBytes = 0 } of inOrder) {
    if (kind === 'deleted') continue
    const fits = contents.size < MOST_FILES && bytes + sizeBytes <= MOST_FILE_BYTES
    const content = fits ? await contentOf(sandbox, `${prefix}${path}`) : undefined
    if (content === undefined) withheld.push(path)
    else {
      bytes += content.length
      contents.set(path, new Uint8Array(content.buffer, content.byteOffset, content.length))
    }
  }
  return { changes, contents, withheld }
}

/** Undefined for a link, a pipe and the like. */
async function contentOf(sandbox: Sandbox, path: string): Promise<Uint8Array | undefined> {
  try {
    return await sandbox.files.read(path)
  } catch (error) {
    if (MendloopError.is(error, 'FILE_UNAVAILABLE') || MendloopError.is(error, 'PATH_REFUSED'))
      return undefined
    throw error
  }
}

async function removeFolder(sandbox: Sandbox, folder: string): Promise<void> {
  try {
    await sandbox.files.remove(folder)
  } catch (error) {
    // The result is worth more than a tidy workspace; a closed sandbox has removed it anyway.
    if (!MendloopError.is(error)) throw error
  }
}
