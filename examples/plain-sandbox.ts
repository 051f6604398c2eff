// A sandbox from scratch (Linux): each program is a child process in a temporary folder. It has no walls, and says so.
import { mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ExecutionResult, Guarantees, Limits, Sandbox, SandboxProvider } from '@mendloop/core'
import { DEFAULT_LIMITS, MendloopError } from '@mendloop/core'
import * as adapter from '@mendloop/core/adapter'
import { changesBetween, folderIn, look, plainFiles, removeFolder } from './plain-files.js'
import { runPlain } from './plain-process.js'

const walls = { isolation: 'process', network: 'host', files: 'same-user', syscalls: 'none' } as const
const bounds = { processes: 'none', memory: 'none', pids: 'none', disk: 'per-file' } as const
const guarantees: Guarantees = Object.freeze({ ...walls, ...bounds, descendants: 'best-effort' })

/** What is asked for and cannot be kept is refused, never ignored. */
function refuse(limits: Partial<Limits> = {}, network = 'all'): void {
  const unkept = (['cpuMs', 'memoryBytes', 'processes', 'diskBytes'] as const).find((name) => limits[name])
  const requested = unkept ? `limits.${unkept}` : `network "${network}"`
  if (!unkept && network === 'all') return
  const details = { requested, remedy: 'leave it out, or use a sandbox that enforces it' }
  throw new MendloopError('SANDBOX_UNSUPPORTED', `A plain sandbox cannot keep ${requested}.`, { details })
}

export const plain = (): SandboxProvider => ({
  id: 'plain',
  specVersion: 'sandbox-v1',
  async create(options = {}) {
    const parsed = adapter.parseOptions(adapter.sandboxOptionsSchema, options, 'create()')
    const env = adapter.parseEnvironment(parsed.env ?? {}, 'create()')
    refuse(parsed.limits, parsed.network?.mode)
    if (parsed.signal?.aborted)
      throw new MendloopError('ABORTED', 'create(): aborted', { details: { during: 'sandbox' } })
    const base = await realpath(await mkdtemp(join(tmpdir(), 'plain-')))
    const [id, workdir, home, aside] = [basename(base), `${base}/workspace`, `${base}/home`, `${base}/aside`]
    for (const folder of [workdir, home, aside]) await mkdir(folder)
    const variables = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, LANG: 'C.UTF-8', ...env }
    const limits: Limits = { ...DEFAULT_LIMITS, ...parsed.limits }
    const end = new AbortController()
    const running = new Set<Promise<ExecutionResult>>()
    let forget: (() => void) | undefined
    const ensureOpen = (): void => {
      if (end.signal.aborted)
        throw new MendloopError('SANDBOX_CLOSED', `${id} is closed.`, { details: { sandbox: id } })
    }
    const run: Sandbox['exec'] = async (command, execOptions = {}) => {
      const { cwd, ...program } = adapter.toCommandObject(command, 'exec()')
      const asked = adapter.parseOptions(adapter.execOptionsSchema, execOptions, 'exec()')
      refuse(asked.limits)
      const place = { cwd: await folderIn(workdir, cwd), env: { ...variables, ...program.env } }
      const signals = [end.signal, ...(asked.signal ? [asked.signal] : [])]
      const before = await look(workdir)
      const held = { ...limits, ...asked.limits }
      const ended = await runPlain({ ...program, ...place }, held, signals, asked.onOutput)
      const changes = changesBetween(before, await look(workdir, before, signals))
      const ok = ended.outcome.kind === 'exit' && ended.outcome.code === 0
      return { ...ended, ok, usage: {}, guarantees, ...changes }
    }
    const exec: Sandbox['exec'] = async (...call) => {
      ensureOpen()
      const result = run(...call)
      running.add(result)
      return result.finally(() => running.delete(result))
    }
    const close = async (): Promise<void> => {
      end.abort()
      forget?.()
      await Promise.allSettled(running)
      await removeFolder(base)
    }
    forget = parsed.signal && adapter.onAbort(parsed.signal, () => void close())
    const files = plainFiles(workdir, aside, ensureOpen)
    return { id, workdir, guarantees, limits, files, exec, close, [Symbol.asyncDispose]: close }
  },
})
