// Runs a program as a process of its own, in a folder of the workspace that is gone afterwards: slower, same results.
import { randomBytes } from 'node:crypto'
import { MendloopError } from '../../contract/errors.js'
import type { ExecutionResult, FileChange, Outcome, UnseenPlace } from '../../contract/execution.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { guestPrograms as launchers } from '../run-process/programs.generated.js'
import { isIn, MOST_FILE_BYTES, MOST_FILES, type Remains, toProgramResult } from './program-result.js'
import type { CheckedOptions, CheckedRun, ProgramResult } from './program-run.js'
import { guestPrograms } from './programs.generated.js'

const { launcher } = launchers

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
  const path = `${sandbox.workdir}/${folder}/${entry}`
  const note = `${own}/shortage`
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
        argv: [
          'python3',
          '-u',
          '-B',
          '-c',
          launcher,
          `${sandbox.workdir}/${note}`,
          path,
          cwd === '' ? entry : path,
          TEXTS,
          ...args,
        ],
        cwd: cwd === '' ? folder : `${folder}/${cwd}`,
        // Its own, as in the runner: nothing that it leaves there comes upon the next one.
        env: { HOME: home, TMPDIR: home, ...env },
        ...(stdin !== undefined && { stdin }),
      },
      { ...(limits && { limits }), ...(signal && { signal }), ...(onOutput && { onOutput }) },
    )
    const outcome = await outcomeOfPython(execution, () => contentOf(sandbox, note))
    const remains = await remainsOf(sandbox, folder, execution.changes, options)
    const { changes: _, ok: __, unseen: places, ...rest } = execution
    const unseen = places && within(folder, places)
    const seen = { ...rest, ...(unseen && { unseen }), outcome }
    return toProgramResult(seen, remains, options, 'process')
  } finally {
    await removeFolder(sandbox, own)
  }
}

/** Programs that the launcher loads, each after its name, apart by form feeds: JSON would load a library to read it. */
const TEXTS = (['exit_codes', 'main_module', 'shortages', 'file_reader'] as const)
  .map((name) => `${name}\f${guestPrograms[name]}`)
  .join('\f')

/** What it notes, by the numbers of shortages.py. */
const SHORTAGES: Readonly<Record<string, Outcome>> = {
  1: { kind: 'resource', limit: 'memory' },
  2: { kind: 'resource', limit: 'processes' },
}

/** How it ended. What an uncaught error says that it ran short of stands in a note, since any output may say so too. */
async function outcomeOfPython(
  { outcome }: ExecutionResult,
  noted: () => Promise<Uint8Array | undefined>,
): Promise<Outcome> {
  if (outcome.kind !== 'exit' || outcome.code !== 1) return outcome
  const note = await noted()
  return SHORTAGES[note === undefined ? '' : Buffer.from(note).toString('latin1')] ?? outcome
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
