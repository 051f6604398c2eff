// What a repair loop is asked to do.
import { z } from 'zod'
import { bytesSchema, inputSchema } from '../contract/foreign-values.js'
import { invalidOption, parseOptions } from '../contract/options.js'
import type { Limits } from '../contract/sandbox.js'
import { limitsSchema } from '../contract/sandbox-schemas.js'
import type { Verifier } from '../contract/verify.js'
import { languageOf } from '../language/languages.js'
import { toWorkspaceFiles, toWorkspacePath } from '../sandbox/workspace-path.js'

/** A program to write, or to mend, and the checks that decide. */
export interface RepairTask {
  /** What is wanted, for the model; kept word for word. */
  goal: string
  /** Name of the program's language: `python`, `javascript`, `typescript`, `shell`, `c`, `cpp`, `java`, `go`, `rust`. */
  language: string
  /** Path of the program. Default: the language's own, such as `solution.py`. */
  entry?: string
  /** A program to start from. It is judged first, without a model; when it passes, nothing is asked. */
  program?: Readonly<Record<string, string>>
  /** Input files, by path in the workspace. A reply that rewrites one of them is not followed. */
  files?: Readonly<Record<string, string | Uint8Array>>
  /**
   * Patterns of names and paths (`*`, `**` and `?`; `tests/`, `/top.txt`) of further files that a reply may not add and that are removed when the program makes
   * them; not those of `program`. Default: what test runners and Python load unasked, `conftest.py`, `pytest.ini`,
   * `sitecustomize.py`, `usercustomize.py` and `*.pth`.
   */
  protect?: readonly string[]
  /** Arguments of the program. */
  args?: readonly string[]
  /** Standard input of the program. */
  stdin?: string | Uint8Array
  /** The checks, at least one; all must pass. Held-out ones run only when the visible ones pass. */
  verify: readonly Verifier[]
  /** Files that the program writes; each must be there after its run, and comes back in `result.outputs`. */
  outputs?: readonly string[]
  /** Limits of each execution. */
  limits?: Partial<Limits>
  /** A person's advice, kept word for word in every turn. */
  note?: string
}

const path = z.string().min(1)
const bytes = z.union([z.string(), bytesSchema], 'must be text or bytes')

/** Schema of a check. */
export const verifierSchema: z.ZodType<Verifier> = z.custom<Verifier>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Verifier).verify === 'function' &&
    typeof (value as Verifier).name === 'string' &&
    ['visible', 'held-out'].includes((value as Verifier).visibility),
  "must be an object with a name, a visibility of 'visible' or 'held-out', and a verify function",
)

/** What verifyOnce takes of a task as well. */
export const judgedFields = {
  language: z.string().min(1),
  files: z.record(path, bytes).optional(),
  protect: z
    .array(
      path.refine((one) => !/^!|\\/u.test(one), 'must be a pattern of *, ** and ?, without ! and backslash'),
    )
    .readonly()
    .optional(),
  args: z.array(z.string()).readonly().optional(),
  stdin: inputSchema.optional(),
  verify: z
    .array(verifierSchema)
    .min(1, 'needs at least one check: without one nothing can be verified')
    .readonly(),
  outputs: z.array(path).readonly().optional(),
  limits: limitsSchema.optional(),
}

const repairTaskSchema: z.ZodType<RepairTask> = z.strictObject({
  goal: z.string().min(1, 'must say what is wanted'),
  entry: path.optional(),
  program: z.record(path, z.string()).optional(),
  note: z.string().optional(),
  ...judgedFields,
})

/** A task with its language and entry resolved. */
export type ParsedTask = RepairTask & { readonly entry: string }

/**
 * Checks a task and fills in what follows from its language.
 *
 * @throws MendloopError INVALID_OPTION, PATH_REFUSED
 */
export function parseTask(task: RepairTask): ParsedTask {
  const parsed = parseOptions(repairTaskSchema, task, 'task')
  const language = languageOf(parsed.language)
  const entry = toWorkspacePath(parsed.entry ?? language.entry)
  const program = parsed.program === undefined ? undefined : canonical(parsed.program)
  const files = canonical(parsed.files ?? {})
  if (program !== undefined && program[entry] === undefined)
    throw invalidOption('task', 'program', `holds no file "${entry}"`, {
      expected: `the entry "${entry}" among its files`,
      received: Object.keys(program).join(', ') || 'no file',
    })
  const both = Object.keys(files).find((one) => program?.[one] !== undefined || one === entry)
  if (both !== undefined)
    throw invalidOption('task', 'files', `holds "${both}", which is the program's`, {
      expected: 'input files only; what the model may rewrite belongs into program',
      received: both,
    })
  return {
    ...parsed,
    language: language.id,
    entry,
    verify: withOwnNames(parsed.verify),
    files,
    ...(program !== undefined && { program }),
    outputs: (parsed.outputs ?? []).map(toWorkspacePath),
  }
}

/** The checks with a number after a name that another check has already: `python tests`, `python tests 2`. */
function withOwnNames(verifiers: readonly Verifier[]): Verifier[] {
  const taken = new Set<string>()
  return verifiers.map((verifier) => {
    const { visibility } = verifier
    let name = verifier.name
    for (let number = 2; taken.has(name); number++) name = `${verifier.name} ${number}`
    taken.add(name)
    return name === verifier.name
      ? verifier
      : { name, visibility, verify: (context) => verifier.verify(context) }
  })
}

/** The files under their one spelling, so that `./a` and `a` are the same file. */
function canonical<T extends string | Uint8Array>(files: Readonly<Record<string, T>>): Record<string, T> {
  // Refuses what a workspace would refuse, before anything is spent.
  toWorkspaceFiles(files)
  return Object.fromEntries(Object.entries(files).map(([one, content]) => [toWorkspacePath(one), content]))
}
