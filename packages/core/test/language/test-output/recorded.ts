// Reads the projects of test/fixtures/test-output and what real test runners once printed for them.
import { readFileSync } from 'node:fs'

export const TEST_OUTPUT_FOLDER = new URL('../../fixtures/test-output/', import.meta.url)

export const RUNNERS = ['pytest', 'unittest', 'node-test', 'vitest', 'jest'] as const

/** A project with tests, and the commands that run them. */
export interface TestProject {
  readonly runs: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
}

/** What a runner printed, by the name of the run. */
export interface RecordedOutput {
  /** Name and version of the tool, and of its interpreter. */
  readonly tool: string
  readonly outputs: Readonly<Record<string, string>>
}

/** The project of one runner. */
export function testProject(runner: string): TestProject {
  const text = readFileSync(new URL(`${runner}.txt`, TEST_OUTPUT_FOLDER), 'utf8')
  const [head = '', ...parts] = text.split(/^--- /mu)
  const runs = [...head.matchAll(/^run ([\w-]+): (.+)$/gmu)].map(([, name = '', command = '']) => [
    name,
    command,
  ])
  const files = parts.map((part) => {
    const end = part.indexOf('\n')
    return [part.slice(0, end), part.slice(end + 1)]
  })
  return { runs: Object.fromEntries(runs), files: Object.fromEntries(files) }
}

/** What was recorded of one runner. */
export const recordedOutput = (runner: string): RecordedOutput =>
  JSON.parse(readFileSync(new URL(`${runner}.json`, TEST_OUTPUT_FOLDER), 'utf8'))

/** What is right for each output, by the name of the run. */
export function expectedOutputs(runner: string): Readonly<Record<string, string>> {
  const text = readFileSync(new URL(`${runner}.expected.txt`, TEST_OUTPUT_FOLDER), 'utf8')
  const sections = text.split(/^=== (?=[\w-]+$)/mu).slice(1)
  return Object.fromEntries(
    sections.map((section) => {
      const end = section.indexOf('\n')
      return [section.slice(0, end), section.slice(end + 1).replace(/\n$/u, '')]
    }),
  )
}
