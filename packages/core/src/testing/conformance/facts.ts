// Finds out what a sandbox is able to run, before the first case.
import { randomUUID } from 'node:crypto'
import type { Sandbox, SandboxProvider } from '../../contract/sandbox.js'
import type { ConformanceFacts, ConformanceHost, OptionalMember } from './conformance-case.js'
import { inShort, within } from './expectations.js'

const LOOK_DEADLINE_MS = 30_000

/** Opens one sandbox and looks. @throws what `create()` throws */
export async function findFacts(
  provider: SandboxProvider,
  python: string,
  host: ConformanceHost | undefined,
): Promise<ConformanceFacts> {
  const sandbox = await within(LOOK_DEADLINE_MS, 'create()', provider.create())
  try {
    const shell = await canRun(sandbox, ['/bin/sh', '-c'], 'printf %s')
    const runsPython =
      shell === true ? await canRun(sandbox, [python, '-c'], 'import sys; print(end=sys.argv[1]) #') : shell
    return {
      guarantees: { ...sandbox.guarantees },
      members: membersOf(sandbox),
      shell,
      python: runsPython,
      host,
    }
  } finally {
    await within(LOOK_DEADLINE_MS, 'close()', sandbox.close())
  }
}

/** True when it prints back a word that nobody can know before. */
async function canRun(sandbox: Sandbox, argv: readonly string[], print: string): Promise<true | string> {
  const word = randomUUID()
  try {
    const command = [...argv, `${print} ${word}`, word]
    const { outcome, stdout } = await within(
      LOOK_DEADLINE_MS,
      `running ${argv[0]}`,
      sandbox.exec(command, { limits: { wallMs: LOOK_DEADLINE_MS / 2 } }),
    )
    if (stdout.text === word) return true
    return `the sandbox does not run ${argv[0]}: a program that prints a word ended with ${inShort(outcome)} and printed ${inShort(stdout.text)}`
  } catch (error) {
    return `the sandbox does not run ${argv[0]}: ${inShort(error)}`
  }
}

function membersOf(sandbox: Sandbox): ReadonlySet<OptionalMember> {
  const { files } = sandbox
  const present: Record<OptionalMember, unknown> = {
    spawn: sandbox.spawn,
    runner: sandbox.runner,
    snapshot: sandbox.snapshot,
    'files.readRange': files.readRange,
    'files.readStream': files.readStream,
    'files.writeStream': files.writeStream,
  }
  return new Set((Object.keys(present) as OptionalMember[]).filter((name) => present[name] !== undefined))
}
