// What a Python interpreter is, asked of itself once: a runner that turns out to be another one is not believed.
import { realpathSync } from 'node:fs'
import { MendloopError } from '@mendloop/core'
import { type CompiledPrograms, compileRunner } from '@mendloop/core/adapter'
import { answerOf } from '../interpreter.js'
import { inWords } from '../system-error.js'

/** An interpreter and where its packages are. */
export interface PythonFacts {
  /** What to start; an absolute path. */
  readonly file: string
  /** Such as `3.11.7`. */
  readonly version: string
  readonly prefix: string
  /** Differs from `prefix` in a virtual environment. */
  readonly basePrefix: string
  /** What it made of the runner's programs. */
  readonly compiled: CompiledPrograms | undefined
}

// -I without -S: only with its site module does it know that it is a virtual environment.
const QUESTION = [
  'import json, platform, sys',
  'print(json.dumps([sys.executable, platform.python_version(), sys.prefix, sys.base_prefix]))',
].join('\n')

const known = new Map<string, Promise<PythonFacts>>()

/**
 * @param file - absolute path of an interpreter, no script of a version manager
 * @throws MendloopError SANDBOX_UNAVAILABLE when it does not answer
 */
export function pythonFacts(file: string): Promise<PythonFacts> {
  const asked = known.get(file) ?? askFacts(file)
  known.set(file, asked)
  // What does not start now may be mended by the next call.
  asked.catch(() => known.delete(file))
  return asked
}

async function askFacts(file: string): Promise<PythonFacts> {
  try {
    const [text, compiled] = await Promise.all([
      answerOf(file, ['-I', '-B', '-c', QUESTION]),
      compileRunner((args, stdin) => answerOf(file, args, stdin)),
    ])
    const answer: unknown = JSON.parse(text)
    const [executable, version, prefix, basePrefix] = texts(answer)
    if (!executable || !version || !prefix || !basePrefix) throw new Error('it does not know where it is')
    // The executable of a virtual environment is known by its own name only.
    const started = prefix === basePrefix ? realpathSync(executable) : executable
    return { file: started, version, prefix, basePrefix, compiled }
  } catch (cause) {
    const reason = inWords(cause)
    throw new MendloopError(
      'SANDBOX_UNAVAILABLE',
      `subprocess(): the Python interpreter ${file} does not say what it is (${reason}). See what "${file} --version" says, or name another with the option "python".`,
      { details: { sandbox: 'subprocess', reason }, cause },
    )
  }
}

const texts = (answer: unknown): string[] =>
  Array.isArray(answer) ? answer.filter((one): one is string => typeof one === 'string') : []
