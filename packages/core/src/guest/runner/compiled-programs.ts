// The runner's programs, compiled ahead by the interpreter that will run them: that takes as long as the rest of its
// start, and leaves memory behind that every fork inherits.
import { z } from 'zod'
import { guestPrograms } from './programs.generated.js'

/** What an interpreter made of the runner's programs. Another version of Python compiles them anew. */
export interface CompiledPrograms {
  /** Marks the versions of Python that can read it, in hexadecimal. */
  readonly magic: string
  /** Code objects by name, marshalled, in hexadecimal. */
  readonly code: string
}

const compiledSchema: z.ZodType<CompiledPrograms> = z.strictObject({
  magic: z.string().regex(/^[0-9a-f]+$/u),
  code: z.string().regex(/^(?:[0-9a-f]{2})+$/u),
})

/** The names are those that the runner's bootstrap gives. Without docstrings and columns: each fork inherits all of it. */
const COMPILER = `
import _frozen_importlib_external, json, marshal, sys
programs = json.load(sys.stdin)
code = {name: compile(text, '<mendloop ' + name + '>', 'exec', optimize=2) for name, text in programs.items()}
magic = _frozen_importlib_external.MAGIC_NUMBER.hex()
print(json.dumps({'magic': magic, 'code': marshal.dumps(code).hex()}))
`

/**
 * Compiles the runner's programs, for `startRunner`.
 *
 * @param ask - starts the interpreter that the runner will have, outside of every sandbox, with these arguments and this
 *   standard input, and gives what it prints
 * @returns undefined when that did not work: the runner then compiles them itself
 */
export async function compileRunner(
  ask: (args: readonly string[], stdin: string) => Promise<string>,
): Promise<CompiledPrograms | undefined> {
  try {
    const answer = await ask(
      ['-I', '-S', '-E', '-B', '-X', 'no_debug_ranges', '-c', COMPILER],
      JSON.stringify(guestPrograms),
    )
    return compiledSchema.parse(JSON.parse(answer))
  } catch {
    return undefined
  }
}
