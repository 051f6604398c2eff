// What several probes need: Python one-liners, a secret outside, a look at the host's processes.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionResult } from '../../contract/execution.js'
import type { ExecOptions, Sandbox } from '../../contract/sandbox.js'
import type { ConformanceContext } from './conformance-case.js'

/** Enough for any small program on a busy machine. */
export const PATIENT: ExecOptions = { limits: { wallMs: 20_000 } }

/** The argument list of a Python program. */
export const python = (
  context: ConformanceContext,
  code: string,
  ...args: readonly string[]
): readonly string[] => [context.python, '-c', code, ...args]

/** Runs a Python program in patience. */
export const runPython = (
  context: ConformanceContext,
  sandbox: Sandbox,
  code: string,
  ...args: readonly string[]
): Promise<ExecutionResult> => sandbox.exec(python(context, code, ...args), PATIENT)

/** A sandbox in which a program may write files of so many bytes; who bounds none refuses to be asked. */
export const openForFiles = ({ open, facts }: ConformanceContext, fileBytes: number): Promise<Sandbox> =>
  open(facts.guarantees.disk === 'none' ? {} : { limits: { fileBytes } })

/** A word that is nowhere else. */
export const newMark = (): string => `mendloop-${randomUUID()}`

/** A folder of the host's, outside of any sandbox, with one secret file. */
export interface Canary {
  readonly folder: string
  readonly path: string
  readonly secret: string
  /** What the file holds now. */
  content(): Promise<string>
}

/** Makes a secret outside, gone after the case. Anyone may enter its folder: what keeps a program out is the sandbox. */
export async function openCanary(context: ConformanceContext): Promise<Canary> {
  const folder = await mkdtemp(join(realpathSync(tmpdir()), 'conformance-'))
  context.afterwards(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o777)
  const [path, secret] = [join(folder, 'secret.txt'), newMark()]
  await writeFile(path, secret)
  await chmod(path, 0o666)
  return { folder, path, secret, content: () => readFile(path, 'utf8') }
}

/** Ids of live processes of this host that have `mark` among their arguments; empty where /proc does not tell. */
export function hostProcesses(mark: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) => Number.isInteger(pid) && pid !== process.pid && quietly(`/proc/${pid}/cmdline`).includes(mark),
    )
}

/** A file of /proc, or nothing when its process is gone. */
export function quietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Sets variables of this process for the length of the case. */
export function setEnvironment(
  context: ConformanceContext,
  variables: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    context.afterwards(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
    process.env[name] = value
  }
}

/** Waits until something holds. @returns false when it does not within the limit */
export async function eventually(
  limitMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const deadline = performance.now() + limitMs
  for (;;) {
    if (await condition()) return true
    if (performance.now() > deadline) return false
    await pause(20)
  }
}

/** Lets time pass. */
export const pause = (durationMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, durationMs))

/** Runs `act` while it watches this process's memory. @returns what `act` returns, and the growth in bytes */
export async function watchMemory<T>(act: () => Promise<T>): Promise<{ value: T; grownBytes: number }> {
  const before = process.memoryUsage.rss()
  let peak = before
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 25)
  try {
    const value = await act()
    look()
    return { value, grownBytes: peak - before }
  } finally {
    clearInterval(timer)
  }
}
