// What both engines share: limits, captured output, and the changes of a run put into a result.
import { createHash } from 'node:crypto'
import { MendloopError } from '../../contract/errors.js'
import type { ExecutionResult, FileChange, Outcome } from '../../contract/execution.js'
import { invalidOption } from '../../contract/options.js'
import type { Guarantees, Limits, Sandbox } from '../../contract/sandbox.js'
import { limitsInEffect } from '../../sandbox/limits-in-effect.js'
import type { CheckedOptions, ProgramResult } from './program-run.js'

/** Most files that are given after a run. */
export const MOST_FILES = 1000
/** Most bytes of them. */
export const MOST_FILE_BYTES = 64 * 1024 * 1024

/**
 * The limits of a run.
 *
 * @throws MendloopError SANDBOX_UNSUPPORTED when one that was asked for is not enforced here; INVALID_OPTION when nothing
 *   starts with it
 */
export function limitsOf(sandbox: Sandbox, asked: Partial<Limits> = {}): Limits {
  const { guarantees } = sandbox
  for (const [name, isEnforced] of Object.entries(ENFORCED)) {
    if (asked[name as keyof Limits] === undefined || isEnforced(guarantees)) continue
    const remedy = 'a sandbox whose guarantees include it'
    throw new MendloopError(
      'SANDBOX_UNSUPPORTED',
      `The sandbox ${sandbox.id} cannot enforce limits.${name}. Leave it out, or use ${remedy}.`,
      { details: { requested: `limits.${name}`, remedy } },
    )
  }
  requireStartable(asked)
  return limitsInEffect(sandbox, asked)
}

/** Below these no interpreter starts, or no workspace is made: `exec` and `create()` of sandboxes refuse them too. */
const LEAST = { memoryBytes: 1024 * 1024, diskBytes: 128 * 1024 } as const

function requireStartable(asked: Partial<Limits>): void {
  for (const [name, least] of Object.entries(LEAST)) {
    const bytes = asked[name as keyof typeof LEAST] ?? least
    if (bytes < least)
      throw invalidOption('runProgram()', `limits.${name}`, `must be at least ${least}`, {
        expected: `at least ${least} bytes`,
        received: String(bytes),
      })
  }
}

const ENFORCED: Partial<Record<keyof Limits, (guarantees: Guarantees) => boolean>> = {
  memoryBytes: ({ memory }) => memory !== 'none',
  processes: ({ pids }) => pids !== 'none',
  diskBytes: ({ disk }) => disk === 'bounded',
  fileBytes: ({ disk }) => disk !== 'none',
}

/** A change whose content is at hand. */
export function changeOf(path: string, kind: 'created' | 'modified', content: Uint8Array): FileChange {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { path, kind, sizeBytes: content.length, sha256 }
}

/** What a run left behind. */
export interface Remains {
  readonly changes: readonly FileChange[]
  /** Content by path, of all that changed. */
  readonly contents: ReadonlyMap<string, Uint8Array>
  readonly withheld: readonly string[]
}

/** Puts a result together. */
export function toProgramResult(
  execution: Omit<ExecutionResult, 'ok' | 'changes'>,
  { changes, contents, withheld }: Remains,
  { wanted }: Pick<CheckedOptions, 'wanted'>,
  engine: ProgramResult['engine'],
): ProgramResult {
  const isWanted = (path: string): boolean => wanted === true || wanted.some((one) => isIn(one, path))
  const there =
    wanted === true || wanted.length === 0 ? NOTHING : withFolders([...contents.keys(), ...withheld])
  const mayBeThere = (one: string): boolean =>
    there.has(one) || (execution.unseen ?? []).some(({ path }) => meet(path, one))
  const missing = wanted === true ? [] : wanted.filter((one) => !mayBeThere(one))
  return {
    ...execution,
    ok: isSuccess(execution.outcome),
    changes: [...changes].sort((a, b) => (a.path < b.path ? -1 : 1)),
    files: Object.fromEntries([...contents].filter(([path]) => isWanted(path))),
    withheld: [...withheld].sort(),
    ...(missing.length > 0 && { missing }),
    engine,
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** A file, or whatever is in a folder. */
export const isIn = (place: string, path: string): boolean => path === place || path.startsWith(`${place}/`)

/** Paths, and all folders above them: there may be a hundred thousand. */
function withFolders(paths: readonly string[]): ReadonlySet<string> {
  const all = new Set(paths)
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (all.has(folder)) break
      all.add(folder)
    }
  return all
}

/** True when some of the one may be in the other. */
const meet = (unseen: string, path: string): boolean =>
  unseen === '.' || isIn(unseen, path) || isIn(path, unseen)

const isSuccess = (outcome: Outcome): boolean => outcome.kind === 'exit' && outcome.code === 0
