// The least that a sandbox can be: a temporary folder and child processes. Real processes, no walls; for tests only.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Candidate } from '../../src/contract/candidate.js'
import type { ExecutionResult, Outcome } from '../../src/contract/execution.js'
import { type Command, DEFAULT_LIMITS, type ExecOptions, type Sandbox } from '../../src/contract/sandbox.js'
import type { Verdict, Verifier, VerifyContext } from '../../src/contract/verify.js'
import { captureOutput } from '../../src/sandbox/output-capture.js'
import { NOTHING_ENFORCED } from '../../src/testing/nothing-enforced.js'

/** Opens a sandbox in a fresh temporary folder. */
export async function localSandbox(): Promise<Sandbox> {
  const workdir = await mkdtemp(join(tmpdir(), 'mendloop-test-'))
  const close = (): Promise<void> => rm(workdir, { recursive: true, force: true })
  const read = (path: string): Promise<Buffer> => readFile(join(workdir, path))
  return {
    id: randomUUID(),
    workdir,
    guarantees: NOTHING_ENFORCED,
    exec: (command, options) => execute(workdir, command, options),
    files: {
      async write(files) {
        for (const [path, content] of Object.entries(files)) {
          await mkdir(dirname(join(workdir, path)), { recursive: true })
          await writeFile(join(workdir, path), content)
        }
      },
      read,
      readText: async (path) => (await read(path)).toString('utf8'),
      list: async () => (await readdir(workdir, { recursive: true })).map((path) => ({ path, sizeBytes: 0 })),
      stat: async () => undefined,
      remove: (path) => rm(join(workdir, path), { recursive: true, force: true }),
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function execute(
  workdir: string,
  command: Command,
  options: ExecOptions = {},
): Promise<ExecutionResult> {
  const { argv, env, stdin } =
    typeof command === 'string'
      ? { argv: ['/bin/sh', '-c', command], env: {}, stdin: undefined }
      : 'argv' in command
        ? command
        : { argv: command, env: {}, stdin: undefined }
  const { wallMs, outputBytes } = { ...DEFAULT_LIMITS, ...options.limits }
  const started = performance.now()
  const [file = '', ...args] = argv
  const child = spawn(file, args, {
    cwd: workdir,
    detached: true,
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...env },
  })
  const stdout = captureOutput(outputBytes)
  const stderr = captureOutput(outputBytes)
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const outcome = await ended(child, wallMs)
  return {
    outcome,
    ok: outcome.kind === 'exit' && outcome.code === 0,
    stdout: stdout.finish(),
    stderr: stderr.finish(),
    durationMs: performance.now() - started,
    usage: {},
    changes: [],
    guarantees: NOTHING_ENFORCED,
  }
}

/** How the child ended; its whole process group is gone then. */
function ended(child: ChildProcess, wallMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    let late = false
    const killGroup = (): void => {
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Nobody was left.
      }
    }
    const timer = setTimeout(() => {
      late = true
      killGroup()
    }, wallMs)
    child.once('exit', killGroup)
    child.once('error', (error) => {
      clearTimeout(timer)
      resolve({ kind: 'lost', cause: error.message })
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (late) resolve({ kind: 'timeout', clock: 'wall', limitMs: wallMs })
      else if (signal !== null) resolve({ kind: 'signal', signal })
      else resolve({ kind: 'exit', code: code ?? 0 })
    })
  })
}

/** Runs one verifier on one program, alone, in a sandbox of its own. */
export async function verdictOn(
  verifier: Verifier,
  program: string | Readonly<Record<string, string>>,
  {
    taskFiles = {},
    before,
  }: { taskFiles?: Record<string, string>; before?: (context: VerifyContext) => Promise<void> } = {},
): Promise<Verdict> {
  const files = typeof program === 'string' ? { 'solution.py': program } : program
  const candidate: Candidate = { files, entry: Object.keys(files)[0] ?? 'solution.py' }
  await using sandbox = await localSandbox()
  await sandbox.files.write({ ...taskFiles, ...files })
  let run: Promise<ExecutionResult> | undefined
  const context: VerifyContext = {
    candidate,
    language: 'python',
    sandbox,
    run: () => (run ??= sandbox.exec(['python3', candidate.entry])),
    exec: (command, options) => sandbox.exec(command, options),
    signal: new AbortController().signal,
  }
  await before?.(context)
  return await verifier.verify(context)
}
