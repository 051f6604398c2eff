// Really runs a Python program in a folder of its own and says what it did, in the shape that a sandbox would.
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Candidate } from '../../src/contract/candidate.js'
import type { CapturedText, ExecutionResult, Outcome } from '../../src/contract/execution.js'
import type { Failure } from '../../src/contract/verify.js'
import { diagnose } from '../../src/language/diagnose.js'
import { NOTHING_ENFORCED } from '../../src/testing/nothing-enforced.js'
import { pythonIsAtLeast, requires } from '../helpers/requires.js'

/** `3.11`, or undefined when no Python 3 answers. */
export const pythonVersion = ((): readonly [number, number] | undefined => {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  })
  const [major, minor] = (stdout ?? '').trim().split(' ').map(Number)
  return status === 0 && major !== undefined && minor !== undefined ? [major, minor] : undefined
})()

export const hasPython = requires('python3')
export const hasGroups = hasPython && pythonIsAtLeast(11)

export const captured = (text: string, omittedBytes = 0): CapturedText => ({
  text,
  bytes: Buffer.byteLength(text) + omittedBytes,
  truncated: omittedBytes > 0,
  omittedBytes,
})

export function execution(
  outcome: Outcome,
  {
    stdout = '',
    stderr = '',
    omittedBytes = 0,
  }: { stdout?: string; stderr?: string; omittedBytes?: number } = {},
): ExecutionResult {
  return {
    outcome,
    ok: outcome.kind === 'exit' && outcome.code === 0,
    stdout: captured(stdout),
    stderr: captured(stderr, omittedBytes),
    durationMs: 1,
    usage: {},
    changes: [],
    guarantees: NOTHING_ENFORCED,
  }
}

export const program = (files: Readonly<Record<string, string>> | string): Candidate =>
  typeof files === 'string'
    ? { files: { 'solution.py': files }, entry: 'solution.py' }
    : { files, entry: 'solution.py' }

export interface RunPythonOptions {
  /** Killed once stderr holds this; the outcome is then a timeout. */
  readonly killWhen?: string
  readonly flags?: readonly string[]
  /** Which Python. */
  readonly python?: string
}

/** Runs the candidate's entry. */
export async function runPython(
  candidate: Candidate,
  options: RunPythonOptions = {},
): Promise<ExecutionResult> {
  const { killWhen, flags = [], python = 'python3' } = options
  const folder = await mkdtemp(join(tmpdir(), 'mendloop-test-'))
  try {
    for (const [path, text] of Object.entries(candidate.files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const child = spawn(python, ['-s', '-B', '-u', ...flags, join(folder, candidate.entry)], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let timedOut = false
    const texts = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8')
      child[stream].on('data', (text: string) => {
        texts[stream] += text
        if (killWhen === undefined || !texts.stderr.includes(killWhen)) return
        timedOut = true
        child.kill('SIGKILL')
      })
    }
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (exitCode, name) => resolve([exitCode, name]))
    })
    const outcome: Outcome = timedOut
      ? { kind: 'timeout', clock: 'wall', limitMs: 1500 }
      : signal !== null
        ? { kind: 'signal', signal }
        : { kind: 'exit', code: code ?? 0 }
    return execution(outcome, texts)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What is read out of a real run. */
export async function failuresOf(
  files: Parameters<typeof program>[0],
  options?: Parameters<typeof runPython>[1],
): Promise<readonly Failure[]> {
  const candidate = program(files)
  return diagnose(await runPython(candidate, options), { language: 'python', candidate })
}

/** The first failure of a real run that must have one. */
export async function failureOf(files: Parameters<typeof program>[0]): Promise<Failure> {
  const [first] = await failuresOf(files)
  if (first === undefined) throw new Error('the program failed, but no failure was found')
  return first
}

/** A program of these lines. */
export const lines = (...text: string[]): string => `${text.join('\n')}\n`
