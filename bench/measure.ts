// What several benchmarks share: the bare baseline, and the middle of what was measured.
import { execFileSync, spawn } from 'node:child_process'

/** The real interpreter behind `python3`, which may be a version manager's script; undefined when there is none. */
export function realPython(): string | undefined {
  try {
    const program = 'import os, sys; print(os.path.realpath(sys.executable))'
    return execFileSync('python3', ['-c', program], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

/** The program of the baseline F: as bare a Python as there is, printing one line. */
export const barePython = (python: string): [string, ...string[]] => [
  python,
  ...['-I', '-S', '-E', '-B', '-c', 'print("hello")'],
]

/** Milliseconds from `spawn` to `close`, and the bytes that came out. */
export async function spawnToClose(
  [command, ...args]: readonly [string, ...string[]],
  { detached = false }: { readonly detached?: boolean } = {},
): Promise<{ readonly ms: number; readonly bytes: number }> {
  const startedAt = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached })
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${command} ended with code ${code}`)
  return { ms: performance.now() - startedAt, bytes }
}

/** Runs both in turn, so that what else the machine does falls on both alike. */
export async function interleaved(
  rounds: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<{ readonly one: number; readonly other: number }> {
  const ones: number[] = []
  const others: number[] = []
  for (let round = 0; round < rounds; round++) {
    ones.push(await one())
    others.push(await other())
  }
  return { one: median(ones), other: median(others) }
}

/** The middle value. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** The value under which that share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}

/** Three significant digits. */
export const rounded = (value: number): number => Number(value.toPrecision(3))
