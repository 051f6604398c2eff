// A sandbox that runs nothing: files in memory, results by script. For testing loops and verifiers, never programs.
import { createHash, randomUUID } from 'node:crypto'
import { MendloopError } from '../contract/errors.js'
import type { CapturedText, ExecutionResult, Outcome } from '../contract/execution.js'
import type { Command, ExecOptions, Sandbox, SandboxOptions, SandboxProvider } from '../contract/sandbox.js'
import type { WorkspaceFiles } from '../contract/workspace-files.js'
import { collectBytes } from '../sandbox/archive/pieces.js'
import { compareWorkspaces, type WorkspaceState } from '../sandbox/change-set.js'
import { toWorkspaceFiles, toWorkspacePath } from '../sandbox/workspace-path.js'
import { NOTHING_ENFORCED } from './nothing-enforced.js'

/** What a scripted execution did; what is left out is that of a program that printed nothing and exited with 0. */
export interface ScriptedExecution {
  /** How it ended. Default: exit code 0. */
  readonly outcome?: Outcome
  /** Default: empty. */
  readonly stdout?: string
  /** Default: empty. */
  readonly stderr?: string
  /** Files it wrote. */
  readonly writes?: Readonly<Record<string, string | Uint8Array>>
  /** Default 1. */
  readonly durationMs?: number
}

/** What an execution is given. */
export interface ScriptedExecutionInput {
  /** What is run. */
  readonly command: Command
  /** Options of the execution, limits included. */
  readonly options: ExecOptions
  /** The workspace as text, by path. */
  readonly files: Readonly<Record<string, string>>
}

/** A sandbox double. */
export interface MemorySandboxProvider extends SandboxProvider {
  /** Options of every sandbox opened, in order. */
  readonly created: readonly SandboxOptions[]
  /** Every command run, in order. */
  readonly commands: readonly Command[]
  /** How many sandboxes are open now. */
  readonly open: number
}

/**
 * Makes a provider whose executions do what `execute` says.
 *
 * @param execute - called for each execution; what it throws, `exec` throws
 */
export function memorySandbox(
  execute: (input: ScriptedExecutionInput) => ScriptedExecution | Promise<ScriptedExecution> = () => ({}),
): MemorySandboxProvider {
  const created: SandboxOptions[] = []
  const commands: Command[] = []
  const open = new Set<string>()
  return {
    id: 'memory',
    specVersion: 'sandbox-v1',
    created,
    commands,
    get open() {
      return open.size
    },
    async create(options = {}) {
      created.push(options)
      const id = `memory-${randomUUID()}`
      const content = new Map<string, Uint8Array>()
      const refuseClosed = (): void => {
        if (open.has(id)) return
        throw new MendloopError('SANDBOX_CLOSED', `The sandbox ${id} is closed. Open a new one.`, {
          details: { sandbox: id },
        })
      }
      const close = async (): Promise<void> => void open.delete(id)
      open.add(id)
      const sandbox: Sandbox = {
        id,
        workdir: '/workspace',
        guarantees: NOTHING_ENFORCED,
        files: memoryFiles(content, refuseClosed),
        async exec(command, execOptions = {}) {
          refuseClosed()
          commands.push(command)
          const texts = [...content].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])
          const files: Record<string, string> = Object.fromEntries(texts)
          const done = await execute({ command, options: execOptions, files })
          const before = stateOf(content)
          for (const [path, bytes] of toWorkspaceFiles(done.writes ?? {})) content.set(path, bytes)
          return { ...toResult(done), changes: compareWorkspaces(before, stateOf(content)) }
        },
        close,
        [Symbol.asyncDispose]: close,
      }
      return sandbox
    },
  }
}

function memoryFiles(content: Map<string, Uint8Array>, refuseClosed: () => void): WorkspaceFiles {
  const read = async (path: string): Promise<Uint8Array> => {
    refuseClosed()
    const bytes = content.get(toWorkspacePath(path))
    if (bytes !== undefined) return bytes
    throw new MendloopError('FILE_UNAVAILABLE', `There is no file "${path}" in the workspace.`, {
      details: { path, reason: 'not found' },
    })
  }
  return {
    async write(files) {
      refuseClosed()
      for (const [path, bytes] of toWorkspaceFiles(files)) content.set(path, bytes)
    },
    read,
    readText: async (path) => Buffer.from(await read(path)).toString(),
    readRange: async (path, { offset, length }) => (await read(path)).slice(offset, offset + length),
    async *readStream(path) {
      yield await read(path)
    },
    async writeStream(path, pieces) {
      refuseClosed()
      const [resolved = ''] = toWorkspaceFiles({ [path]: '' }).keys()
      const bytes = await collectBytes(pieces)
      refuseClosed()
      content.set(resolved, bytes)
    },
    async list() {
      refuseClosed()
      return [...content]
        .map(([path, { length }]) => ({ path, sizeBytes: length }))
        .sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async stat(path) {
      refuseClosed()
      const resolved = toWorkspacePath(path)
      const bytes = content.get(resolved)
      return bytes === undefined ? undefined : { path: resolved, sizeBytes: bytes.length }
    },
    async remove(path) {
      refuseClosed()
      const resolved = toWorkspacePath(path)
      for (const one of content.keys())
        if (one === resolved || one.startsWith(`${resolved}/`)) content.delete(one)
    },
  }
}

function toResult({
  outcome = { kind: 'exit', code: 0 },
  stdout,
  stderr,
  durationMs = 1,
}: ScriptedExecution): ExecutionResult {
  return {
    outcome,
    ok: outcome.kind === 'exit' && outcome.code === 0,
    stdout: whole(stdout),
    stderr: whole(stderr),
    durationMs,
    usage: {},
    changes: [],
    guarantees: NOTHING_ENFORCED,
  }
}

const stateOf = (content: ReadonlyMap<string, Uint8Array>): WorkspaceState =>
  new Map(
    [...content].map(([path, bytes]) => [
      path,
      { sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    ]),
  )

const whole = (text = ''): CapturedText => ({
  text,
  bytes: Buffer.byteLength(text),
  truncated: false,
  omittedBytes: 0,
})
