// One program under way: started in its own group, ended with everything it started, settled in bounded time.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Limits, Outcome, OutputChunk, ResourceUsage } from '@mendloop/core'
import { cpuSeconds, outcomeOf, startTimer } from '@mendloop/core/adapter'
import { type CpuWatch, watchCpu } from './cpu-watch.js'
import { type Descendants, endDescendants, signalGroup } from './descendants.js'
import { unnamedSignal } from './end-status.js'
import { guard, unguard } from './guardian.js'
import { keepAlive } from './keep-alive.js'

/** A killed process is reported by the kernel within milliseconds; after this it is stuck in a system call. */
const EXIT_DEADLINE_MS = 2_000
/** Once the program and all it started are gone, its pipes end at once, unless somebody unreachable holds them. */
const QUIET_MS = 50
const DRAIN_DEADLINE_MS = 1_000
/** Who could not be killed may hold them as long as it likes. */
const HELD_DRAIN_DEADLINE_MS = 100

/** Programs that run longer are put under the guardian's care by their group as well as by their marker. */
const GUARD_AFTER_MS = 50

/** What to start and how. */
export interface Launch {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** A number is an open descriptor. */
  readonly stdin: 'pipe' | 'ignore' | number
  /** Entries of `stdio` from descriptor 3 on. */
  readonly covered: readonly (number | 'ignore')[]
  readonly limits: Limits
  readonly killGraceMs: number
  /** What to look for besides the program's group, asked when it has ended. */
  readonly descendants: (pid: number, durationMs: number) => Descendants
  readonly onOutput: (stream: OutputChunk['stream'], chunk: Buffer) => void
}

/** How it ended. */
export interface ProcessEnd {
  readonly outcome: Outcome
  readonly durationMs: number
  /** True when something it started is still there. */
  readonly leftover: boolean
  /** What it used, where that is known. */
  readonly usage?: ResourceUsage
  /** True when what should have run it was lost before any of it had run, so that it can be tried again. */
  readonly hasNotRun?: boolean
}

/** A program is killed when the host's clock says so; its own, which begins a little later, never contradicts that. */
export const toldDurationMs = ({ outcome, durationMs }: Omit<ProcessEnd, 'leftover'>): number =>
  outcome.kind === 'timeout' && outcome.clock === 'wall' ? Math.max(durationMs, outcome.limitMs) : durationMs

/** A program under way. */
export interface RunningProcess {
  /** Process id; its group has the same. Undefined when it did not start. */
  readonly pid: number | undefined
  readonly stdin: Writable | null
  /** Stops or goes on taking its output; what the pipes cannot hold then waits in the program. */
  pause(paused: boolean): void
  /**
   * Kills it; `cause` is what the outcome will be. The first cause stands. It is given its grace, unless `atOnce` or
   * being stopped already.
   */
  stop(cause: Outcome, atOnce?: boolean): void
  /** Whether it keeps this process alive, as at first it does. */
  keepAlive?(kept: boolean): void
  /** Never rejects. */
  readonly ended: Promise<ProcessEnd>
}

/** Starts a program. @throws what `spawn` throws for arguments that do not fit */
export function startProcess(launch: Launch): RunningProcess {
  const { limits, killGraceMs } = launch
  const startedAt = performance.now()
  const [file = '', ...args] = launch.argv
  const stdio: StdioOptions = [launch.stdin, 'pipe', 'pipe', ...launch.covered]
  const child = spawn(file, args, {
    cwd: launch.cwd,
    env: { ...launch.env },
    stdio,
    detached: true,
    windowsHide: true,
  })
  const { pid } = child
  // Telling the guardian costs a short program half a millisecond.
  const cancelGuard = startTimer(GUARD_AFTER_MS, () => pid !== undefined && guard('group', String(pid)))
  child.stdout?.on('data', (chunk: Buffer) => launch.onOutput('stdout', chunk)).on('error', () => undefined)
  child.stderr?.on('data', (chunk: Buffer) => launch.onOutput('stderr', chunk)).on('error', () => undefined)
  let unnamed: string | undefined
  // The kernel closes the pipes of a dying process before anybody can wait for it, and its status is set by then.
  const look = (): void => {
    if (pid !== undefined) unnamed ??= unnamedSignal(pid)
  }
  for (const stream of [child.stdout, child.stderr]) stream?.once('end', look)
  // A program that ends without reading its input is no fault of anybody.
  child.stdin?.on('error', () => undefined)

  let cause: Outcome | undefined
  let over = false
  let cancelKill = (): void => undefined
  let giveUp = (): void => undefined
  const kill = (): void => {
    cancelKill()
    if (pid !== undefined) killTree(pid)
    cancelKill = startTimer(EXIT_DEADLINE_MS, () => giveUp())
  }
  const stop = (why: Outcome, atOnce = false): void => {
    if (over) return
    const again = cause !== undefined
    cause ??= why
    if (again || atOnce) kill()
    else if (killGraceMs > 0 && pid !== undefined) {
      signalGroup(pid, 'SIGTERM')
      cancelKill = startTimer(killGraceMs, kill)
    } else kill()
  }
  const onWall = (): void => {
    // Nobody waits for less than the grace because time is up meanwhile.
    if (cause === undefined) stop({ kind: 'timeout', clock: 'wall', limitMs: limits.wallMs })
  }
  // What keeps this process alive is the program, as long as anybody waits for it.
  const cancelWall = startTimer(limits.wallMs, onWall, { unref: true })
  const cpu = pid === undefined ? undefined : watchOver(pid, limits, (why) => stop(why, true))

  const closed = new Promise<boolean>((resolve) => child.once('close', () => resolve(true)))
  const exited = new Promise<Outcome>((resolve) => {
    giveUp = () => resolve({ kind: 'lost', cause: 'the program did not end although it was killed' })
    child.once('error', (error) =>
      resolve({ kind: 'lost', cause: `the program could not be started: ${error.message}` }),
    )
    child.once('exit', (code, signal) =>
      // Node says 0 of a signal that it has no name for.
      resolve(
        unnamed === undefined ? toOutcome(code, signal, limits, cpu) : toOutcome(null, unnamed, limits, cpu),
      ),
    )
  })

  const settle = async (): Promise<ProcessEnd> => {
    const observed = await exited
    const durationMs = performance.now() - startedAt
    cancelWall()
    cancelKill()
    cpu?.stop()
    cancelGuard()
    const outcome = cause ?? observed
    // From here on the program's end is decided, whatever happens while its remains are cleared away.
    over = true
    if (pid === undefined) return { outcome, durationMs, leftover: false }
    signalGroup(pid, 'SIGKILL')
    const gone = await endDescendants(launch.descendants(pid, durationMs))
    const drained = await drain(child, closed, gone ? DRAIN_DEADLINE_MS : HELD_DRAIN_DEADLINE_MS)
    unguard('group', String(pid))
    return { outcome, durationMs, leftover: !gone || !drained }
  }
  const pause = (paused: boolean): void => {
    for (const stream of [child.stdout, child.stderr]) paused ? stream?.pause() : stream?.resume()
  }
  return {
    pid,
    stdin: child.stdin,
    stop,
    pause,
    keepAlive: (kept) => keepAlive(child, kept),
    ended: settle(),
  }
}

function killTree(pid: number): void {
  if (process.platform === 'win32')
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => undefined)
  else signalGroup(pid, 'SIGKILL')
}

/** The kernel ends a process at its limit; what several use together is for us to end. */
function watchOver(pid: number, { cpuMs }: Limits, stop: (cause: Outcome) => void): CpuWatch | undefined {
  if (cpuMs === undefined) return undefined
  const cause: Outcome = { kind: 'timeout', clock: 'cpu', limitMs: cpuMs }
  return watchCpu(pid, cpuSeconds(cpuMs).hard * 1000, () => stop(cause))
}

/** What core makes of an end; a program without a limit of processor time is not watched. */
function toOutcome(
  code: number | null,
  signal: string | null,
  limits: Limits,
  cpu: CpuWatch | undefined,
): Outcome {
  const how =
    code === null
      ? ({ kind: 'signal', signal: signal ?? 'unknown' } as const)
      : ({ kind: 'exit', code } as const)
  return outcomeOf({ how, ...(cpu && { cpuMs: cpu.usedMs() }) }, limits)
}

function within(limitMs: number, happened: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = startTimer(limitMs, () => resolve(false))
    void happened.then((answer) => {
      cancel()
      resolve(answer)
    })
  })
}

/** Reads what is still in the pipes. @returns false when somebody holds them open; they are let go then */
async function drain(child: ChildProcess, closed: Promise<boolean>, limitMs: number): Promise<boolean> {
  const streams = [child.stdout, child.stderr].filter((stream): stream is Readable => stream !== null)
  const deadline = performance.now() + limitMs
  let ended = false
  let arrivals = 1
  const count = (): void => void arrivals++
  // Somebody who reads slowly may have paused them; what is left is no more than the pipes hold.
  for (const stream of streams) stream.on('data', count).resume()
  // As long as something arrives it is worth waiting; a blocked event loop must not look like silence.
  while (!ended && arrivals > 0 && performance.now() < deadline) {
    arrivals = 0
    ended = await within(QUIET_MS, closed)
    if (!ended) await setImmediate()
  }
  child.stdin?.destroy()
  for (const stream of streams) stream.destroy()
  return ended
}
