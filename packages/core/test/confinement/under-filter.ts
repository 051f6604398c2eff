// Runs real programs under a real filter: the kernel says what is allowed, not our reading of the list.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

/** What a program did. */
export interface Ending {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `argv` in an empty folder with the filters put on one after another. */
export function underFilters(filters: readonly Uint8Array[], argv: readonly string[]): Promise<Ending> {
  const folder = mkdtempSync(join(tmpdir(), 'mendloop-filter-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const encoded = filters.map((filter) => Buffer.from(filter).toString('base64')).join(',')
  return new Promise((resolve) => {
    const child = execFile(
      'python3',
      ['-I', '-B', fixture('under-filter.py'), encoded, ...argv],
      { cwd: folder, timeout: 60_000, killSignal: 'SIGKILL' },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    )
  })
}

/** A system call to try: number on x86_64, and arguments; see test/fixtures/attempts.py. */
export type Attempt = readonly [number: number, ...args: (number | 'parent' | 'buffer')[]]

/** Tries system calls by their numbers; the answer of each is its error number, 0 when it worked. */
export async function errorsOf(
  filters: readonly Uint8Array[],
  attempts: Readonly<Record<string, Attempt>>,
): Promise<Record<string, number>> {
  const list = Object.entries(attempts).map(([name, [number, ...args]]) => [name, number, args])
  const { code, stdout, stderr } = await underFilters(filters, [
    'python3',
    '-I',
    '-S',
    fixture('attempts.py'),
    JSON.stringify(list),
  ])
  if (code !== 0) throw new Error(`attempts.py ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as Record<string, number>
}
