// Kind `run`: one program in the sandbox, and everything that can be seen of it from outside.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandObject, type ExecutionResult, languageOf, type Sandbox } from '@mendloop/core'
import type { BugCase, CaseOutcome } from './bug-case.js'
import { asNumber, asObject, asText, asTexts, type Complaint, NotUnderstood } from './expectation.js'
import { caseSandbox, runCommand, runOptions } from './names.js'
import { ProcessWatch } from './processes.js'
import { complaintsAboutRun } from './run-expectations.js'

/** What was seen of one execution. */
export interface Observed {
  readonly result: ExecutionResult
  readonly sandbox: Sandbox
  readonly tookMs: number
  readonly memoryGrowthMiB: number
  /** The processes since just before it. */
  readonly processes: ProcessWatch
  /** Errors of this process that nobody handled while the program ran. */
  readonly unhandled: { readonly rejections: number; readonly exceptions: number }
  /** Runs another program in the same sandbox. */
  runNext(): Promise<ExecutionResult>
}

/** Runs a case of kind `run`. */
export async function runProgramCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const language = languageOf(asText(input['language'] ?? 'python'))
  const options = runOptions(asObject(input['options'] ?? {}))
  const code = await readFile(join(folder, asText(input['input'])))
  const outside = await outsideFile(input['outsideFileText'])
  try {
    const { killGraceMs, limits, env } = options
    const provider = caseSandbox(killGraceMs === undefined ? {} : { killGraceMs })
    await using sandbox = await provider.create({ limits, env: { ...env, ...outside.env } })
    const missing = await firstMissing(sandbox, asTexts(input['needs'] ?? []))
    if (missing !== undefined) return missing

    await sandbox.files.write({ [language.entry]: new Uint8Array(code) })
    const program = { files: { [language.entry]: code.toString('utf8') }, entry: language.entry }
    const command = {
      ...(await runCommand(language, program, sandbox.workdir)),
      ...(options.stdin !== undefined && { stdin: options.stdin }),
    }
    const withArguments: CommandObject = { ...command, argv: [...command.argv, ...options.args] }
    const complaints: Complaint[] = []
    for (let round = 1; round <= repetitions(expect['repeat']); round++) {
      const observed = await observe(sandbox, withArguments)
      complaints.push(...(await complaintsAboutRun(expect, observed)))
      if (complaints.some((complaint) => complaint !== undefined)) break
    }
    const reasons = complaints.filter((complaint) => complaint !== undefined)
    return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
  } finally {
    await outside.remove()
  }
}

/** `"repeat": 20` means: twenty times, each as expected. */
function repetitions(repeat: unknown): number {
  const times = repeat === undefined ? 1 : asNumber(repeat)
  if (!Number.isInteger(times) || times < 1)
    throw new NotUnderstood(`"repeat" must be at least 1, found ${times}`)
  return times
}

async function observe(sandbox: Sandbox, command: CommandObject): Promise<Observed> {
  const processes = new ProcessWatch()
  const unhandled = { rejections: 0, exceptions: 0 }
  const onRejection = (): number => unhandled.rejections++
  const onException = (): number => unhandled.exceptions++
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  const memoryAtStart = process.memoryUsage().rss
  let highest = memoryAtStart
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
    processes.look()
  }, 20)
  const startedAt = performance.now()
  try {
    const result = await sandbox.exec(command)
    const tookMs = performance.now() - startedAt
    // Rejections are reported after the current turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    const memoryGrowthMiB = (Math.max(highest, process.memoryUsage().rss) - memoryAtStart) / 1024 / 1024
    const next = `${command.argv[0]}`
    const runNext = (): Promise<ExecutionResult> => sandbox.exec({ argv: [next, '-c', 'print("next")'] })
    return { result, sandbox, tookMs, memoryGrowthMiB, processes, unhandled, runNext }
  } finally {
    clearInterval(sampler)
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onException)
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
    if (!/^[\w.-]+$/.test(need)) throw new NotUnderstood(`"needs" must be names, found ${need}`)
    const probe = `python3 -c 'import ${need}' 2>/dev/null || command -v ${need}`
    const { ok } = await sandbox.exec(probe, { limits: { wallMs: 60_000 } })
    if (!ok) {
      const remedy = `python3 -m pip install ${need}, or install the program of that name`
      return { status: 'cannot-run', reason: `${need} is not installed`, remedy, missingTool: true }
    }
  }
  return undefined
}
