// A runner that does not answer any longer, because somebody has stopped it.

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { runProgram, type Sandbox } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { childrenOfThisProcess, processesWithArgument, until } from '../helpers/processes.js'
import { openTier, workingTiers } from '../helpers/tiers.js'

const fileOf = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** The processes below this one that have the runner's command line: the runner, and bubblewrap around it. */
function runnersOf(known: ReadonlySet<number>): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .map((pid) => [pid, parentOf(pid)]),
  )
  const top = childrenOfThisProcess().filter((pid) => !known.has(pid))
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (top.includes(pid) || isBelow(parents.get(pid)))
  return [...parents.keys()].filter(
    (pid) => isBelow(pid) && fileOf(pid, 'cmdline').includes('\0-I\0-S\0-E\0-B\0-c\0'),
  )
}

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)/m.exec(fileOf(pid, 'status'))?.[1] ?? 0)

/** The one of them that is the furthest down, then its parent and so on. */
function deepest(pids: readonly number[]): number[] {
  const lineOf = (pid: number): number[] => (pids.includes(pid) ? [pid, ...lineOf(parentOf(pid))] : [])
  return pids.map(lineOf).sort((one, other) => other.length - one.length)[0] ?? []
}

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  const run: Record<string, (sandbox: Sandbox, source: string, onOutput: () => void) => Promise<unknown>> = {
    exec: async (sandbox, source, onOutput) => {
      const { outcome, leftover } = await sandbox.exec(['python3', '-c', source], {
        limits: { wallMs: 1_000 },
        onOutput,
      })
      return { outcome, leftover }
    },
    runProgram: async (sandbox, source, onOutput) => {
      const files = { 'main.py': source }
      const { outcome, leftover } = await runProgram(
        sandbox,
        { files },
        { limits: { wallMs: 1_000 }, onOutput },
      )
      return { outcome, leftover }
    },
  }

  test.each(Object.entries(run))(
    'the wall limit of %s holds, and the next program runs',
    async (_, begin) => {
      const known = new Set(childrenOfThisProcess())
      const sandbox = await openTier(tier)
      const mark = randomUUID()
      const source = `import subprocess, sys\nprint('go', flush=True)\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', '${mark}'])`
      const startedAt = performance.now()
      const end = await begin(sandbox, source, () => {
        for (const pid of runnersOf(known)) process.kill(pid, 'SIGSTOP')
      })
      expect(end).toEqual({
        outcome: { kind: 'timeout', clock: 'wall', limitMs: 1_000 },
        leftover: undefined,
      })
      expect(performance.now() - startedAt).toBeLessThan(7_000)
      await until('its processes are gone', () => processesWithArgument(mark).length === 0)
      expect((await sandbox.exec('echo next')).stdout.text).toBe('next\n')
    },
    30_000,
  )

  test.each(Object.entries(run))(
    '%s tries again what was lost before any of it had run',
    async (_, begin) => {
      const known = new Set(childrenOfThisProcess())
      const sandbox = await openTier(tier)
      await sandbox.exec('true')
      const [waiting = 0, supervisor = 0] = deepest(runnersOf(known))
      // It is told to run the program, and does not hear it any more.
      for (const pid of [supervisor, waiting]) process.kill(pid, 'SIGSTOP')
      const end = begin(sandbox, 'print(1)', () => undefined)
      await new Promise((resolve) => setTimeout(resolve, 200))
      for (const pid of [waiting, supervisor]) process.kill(pid, 'SIGKILL')
      expect(await end).toEqual({ outcome: { kind: 'exit', code: 0 }, leftover: undefined })
    },
    30_000,
  )
})
