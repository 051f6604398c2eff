// The short examples of the README, and the table of tiers, do what the pages say.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isolationHere } from './helpers/isolation-here.js'

const isolated = await isolationHere()
const root = fileURLToPath(new URL('../..', import.meta.url))

function run(example: string): string {
  const argv = ['--conditions=@mendloop/source', '--import', 'tsx', `examples/${example}`]
  const options = { cwd: root, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, options)
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

test.runIf(isolated)('run-program gives back what a program printed and wrote', { timeout: 60_000 }, () => {
  expect(run('run-program.ts')).toBe("{ kind: 'exit', code: 0 } 3 9.80\n")
})

test.runIf(isolated)('short-session keeps its variables over a mistake', { timeout: 60_000 }, () => {
  expect(run('short-session.ts')).toBe("KeyError 'grace'\n")
})

test.runIf(isolated)('unpack-and-pack brings files in and out', { timeout: 60_000 }, () => {
  expect(run('unpack-and-pack.ts')).toBe('created sorted.txt "two\\none\\n"\n')
})

/** Rows of a Markdown table as objects: column → cell, by the name in the first cell. */
function rowsOf(table: string): Map<string, Record<string, string>> {
  const [head = [], , ...rows] = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )
  return new Map(
    rows.map((cells) => [
      cells[0] ?? '',
      Object.fromEntries(head.slice(1).map((name, at) => [name, cells[at + 1] ?? ''])),
    ]),
  )
}

/** What a machine without writable control groups, or without a file system of its own for each workspace, has less of. */
const OF_THE_MACHINE = new Set(['memory', 'pids', 'disk'])

test('the tables of tiers say what the tiers of this machine enforce', { timeout: 60_000 }, () => {
  const here = rowsOf(run('guarantees.ts'))
  expect([...here.keys()]).toContain('network')
  for (const page of ['docs/sandboxes.md', 'docs/write-a-sandbox.md']) {
    const text = readFileSync(`${root}${page}`, 'utf8')
    const told = rowsOf(text.slice(text.indexOf('|  | process |')).split('\n\n')[0] ?? '')
    expect(told.get('network')).toMatchObject({ process: 'host' })
    for (const [property, row] of here)
      for (const [tier, value] of Object.entries(row))
        if (!OF_THE_MACHINE.has(property) && told.get(property)?.[tier] !== undefined)
          expect([page, property, tier, told.get(property)?.[tier]]).toEqual([page, property, tier, value])
  }
})
