// Reads programs with their tests from the folders of test/fixtures: sections with a name, notes, files and tests.
import { readdirSync, readFileSync } from 'node:fs'

/** A program with its tests. */
export interface ProgramSection {
  readonly name: string
  readonly program: Readonly<Record<string, string>>
  /** Absent: {@link MEDIAN_TESTS}. */
  readonly tests?: string
  /** What the failure must be called, where it matters. */
  readonly kind?: string
  readonly wallMs?: number
}

/** Tests that a right `median` passes. */
export const MEDIAN_TESTS = `
from solution import median
assert median([3, 1, 2]) == 2
assert abs(median([1, 2]) - 1.5) < 1e-9
`

/** Every section of every file in a folder of test/fixtures. */
export function programSections(name: string): ProgramSection[] {
  const folder = new URL(`../fixtures/${name}/`, import.meta.url)
  return readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split(/^# === /mu)
      .filter((section) => section.trim() !== '')
      .map(readSection),
  )
}

function readSection(section: string): ProgramSection {
  const [head = '', ...parts] = section.split(/^# --- /mu)
  const [name = '', ...lines] = head.split('\n')
  const note = (key: string): string | undefined =>
    lines.find((line) => line.startsWith(`# ${key}: `))?.slice(key.length + 4)
  const program: Record<string, string> = { 'solution.py': lines.join('\n') }
  let tests: string | undefined
  for (const part of parts) {
    const [title = '', ...body] = part.split('\n')
    if (title === 'tests') tests = body.join('\n')
    else program[title.replace(/^file /u, '')] = body.join('\n')
  }
  const [kind, wallMs] = [note('kind'), note('wallMs')]
  return {
    name,
    program,
    ...(tests !== undefined && { tests }),
    ...(kind !== undefined && { kind }),
    ...(wallMs !== undefined && { wallMs: Number(wallMs) }),
  }
}
