// A case that is about the host process itself (its variables, its memory, its unhandled errors) gets one of its own.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { BugCase, CaseOutcome } from './bug-case.js'
import { asObject, asText, asTexts } from './expectation.js'

const INPUTS = ['hostEnv', 'hostEnvUnset']
const EXPECTATIONS = ['hostMemoryGrowthMiBAtMost', 'unhandledRejections', 'uncaughtExceptions']

/** Whether the case looks at the host process. */
export const needsOwnHost = ({ input, expect }: BugCase): boolean =>
  INPUTS.some((key) => key in input) || EXPECTATIONS.some((key) => key in expect)

/** Runs the case in a fresh Node whose variables are as the case says. */
export async function runInOwnHost(bugCase: BugCase): Promise<CaseOutcome> {
  const env = { ...process.env }
  for (const [name, value] of Object.entries(asObject(bugCase.input['hostEnv'] ?? {}))) {
    if (value === null) delete env[name]
    else env[name] = asText(value)
  }
  for (const name of asTexts(bugCase.input['hostEnvUnset'] ?? [])) delete env[name]
  const host = fileURLToPath(new URL('./host.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@mendloop/source', '--import', 'tsx', host], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', reject)
  })
  // A host that ends early says why on its other streams.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(bugCase))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  try {
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as CaseOutcome
  } catch {
    return { status: 'failed', reasons: [`the host process ended with code ${code}: ${errors.slice(-500)}`] }
  }
}
