// Kind `run`: one program in the sandbox, and everything that can be seen of it from outside.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutionResult, languageOf, type Sandbox } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import { type CaseProgram, placeProgram, runNextProgram } from './case-program.js'
import { asNumber, asObject, asText, asTexts, type Complaint, NotUnderstood } from './expectation.js'
import { caseSandbox, runOptions } from './names.js'
import { ProcessWatch } from './processes.js'
import { complaintsAboutRun } from './run-expectations.js'
import { type UnhandledErrors, UnhandledWatch } from './unhandled.js'

/** What was seen of one execution. */
export interface Observed {
  readonly result: ExecutionResult
  readonly sandbox: Sandbox
  readonly program: CaseProgram
  readonly tookMs: number
  readonly memoryGrowthMiB: number
  /** The processes since just before it. */
  readonly processes: ProcessWatch
  /** Errors of this process that nobody handled while the program ran. */
  readonly unhandled: UnhandledErrors
  /** Runs another program in the same sandbox. */
  runNext(): Promise<ExecutionResult>
}

/** Runs a case of kind `run`. */
export async function runProgramCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const language = languageOf(asText(input['language'] ?? 'python'))
  const options = runOptions(asObject(input['options'] ?? {}), endsAtOutputLimit(expect))
  const file = asText(input['input'])
  const program = { language, file, code: await readFile(join(folder, file)) }
  const outside = await outsideFile(input['outsideFileText'])
  try {
    const { killGraceMs, limits, env } = options
    const provider = caseSandbox(killGraceMs === undefined ? {} : { killGraceMs })
    await using sandbox = await provider.create({ limits, env: { ...env, ...outside.env } })
    const missing = await firstMissing(sandbox, asTexts(input['needs'] ?? []))
    if (missing !== undefined) return missing

    const run = await placeProgram(sandbox, program, options)
    const runNext = (): Promise<ExecutionResult> => runNextProgram(sandbox, program)
    const complaints: Complaint[] = []
    for (let round = 1; round <= repetitions(expect['repeat']); round++) {
      const seen = await observe(run)
      complaints.push(...(await complaintsAboutRun(expect, { ...seen, sandbox, program, runNext })))
      if (complaints.some((complaint) => complaint !== undefined)) break
    }
    const reasons = complaints.filter((complaint) => complaint !== undefined)
    return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
  } finally {
    await outside.remove()
  }
}

/** Whether the program must be ended for its output, rather than have it cut, which is what the product does unasked. */
const endsAtOutputLimit = ({ status }: Fields): boolean => status === 'output-limit'

/** `"repeat": 20` means: twenty times, each as expected. */
function repetitions(repeat: unknown): number {
  const times = repeat === undefined ? 1 : asNumber(repeat)
  if (!Number.isInteger(times) || times < 1)
    throw new NotUnderstood(`"repeat" must be at least 1, found ${times}`)
  return times
}

async function observe(
  run: () => Promise<ExecutionResult>,
): Promise<Omit<Observed, 'sandbox' | 'program' | 'runNext'>> {
  const processes = new ProcessWatch()
  using unhandled = new UnhandledWatch()
  const memoryAtStart = process.memoryUsage().rss
  let highest = memoryAtStart
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
    processes.look()
  }, 20)
  const startedAt = performance.now()
  try {
    const result = await run()
    const tookMs = performance.now() - startedAt
    await unhandled.reported()
    const memoryGrowthMiB = (Math.max(highest, process.memoryUsage().rss) - memoryAtStart) / 1024 / 1024
    return { result, tookMs, memoryGrowthMiB, processes, unhandled }
  } finally {
    clearInterval(sampler)
  }
}

/** A file of the host that the program is told of by OUTSIDE_FILE and must not get at. */
async function outsideFile(text: unknown): Promise<{ env: Record<string, string>; remove(): Promise<void> }> {
  if (text === undefined) return { env: {}, remove: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'mendloop-case-'))
  const path = join(folder, 'outside.txt')
  await writeFile(path, asText(text))
  return { env: { OUTSIDE_FILE: path }, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** The first Python package or program that a case needs and that the sandbox does not have. */
async function firstMissing(sandbox: Sandbox, needs: readonly string[]): Promise<CaseOutcome | undefined> {
  for (const need of needs) {
    if (!/^[\w.+-]+$/.test(need)) throw new NotUnderstood(`"needs" must be names, found ${need}`)
    // A module, a distribution (which may hold a module of another name), or a program.
    const asModule = /^[\w.]+$/.test(need) ? `import ${need}` : 'raise SystemExit(1)'
    const asPackage = `import importlib.metadata as m; m.distribution("${need}")`
    const probe = `{ python3 -c '${asModule}' || python3 -c '${asPackage}' || command -v ${need}; } 2>/dev/null`
    const { ok } = await sandbox.exec(probe, { limits: { wallMs: 60_000 } })
    if (!ok) {
      const remedy = `python3 -m pip install ${need}, or install the program of that name`
      return { status: 'cannot-run', reason: `${need} is not installed`, remedy, missingTool: true }
    }
  }
  return undefined
}
