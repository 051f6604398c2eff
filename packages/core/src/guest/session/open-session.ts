// Starts a session in a sandbox that can start processes with open pipes.
import { MendloopError } from '../../contract/errors.js'
import { parseOptions } from '../../contract/options.js'
import { requireSandbox } from '../../contract/require-parts.js'
import type { Limits, Sandbox } from '../../contract/sandbox.js'
import { onAbort } from '../../internal/on-abort.js'
import { startTimer } from '../../internal/timer.js'
import type { Frame } from '../runner/frame-stream.js'
import { ControlLink, type LinkEnd, type LinkListener } from './control-link.js'
import { FROM_GUEST, helloSchema, readMessage } from './guest-messages.js'
import { HostDesk } from './host-desk.js'
import { createHostFunctions } from './host-function.js'
import { LiveSession } from './live-session.js'
import { hasTooLittle, notStarted } from './not-started.js'
import type { Session, SessionRuntime } from './session.js'
import { sessionCommand } from './session-command.js'
import { SessionEngine } from './session-engine.js'
import { type OpenSessionOptions, openSessionSchema } from './session-options.js'

const CELL_MS = 30_000
const INTERRUPT_GRACE_MS = 1_000
const SESSION_MS = 30 * 24 * 3600 * 1000
/** A machine under load takes seconds to start an interpreter. */
const START_MS = 30_000
/** With less memory than a language needs it may hang for ever. */
const SHORT_START_MS = 5_000

/**
 * Opens a session in a sandbox: cells run in one process, and what one defines the next one finds.
 *
 * The session is as isolated as a process that the sandbox spawns. It is not isolated from itself: a cell can reach
 * whatever an earlier cell has left, and files are those of the sandbox's workspace. While it is open, idle or not, it
 * keeps this process alive: close it, or its sandbox.
 *
 * @throws MendloopError SANDBOX_UNSUPPORTED for a sandbox without `spawn`; SANDBOX_UNAVAILABLE when the language does
 *   not start; INVALID_OPTION, SANDBOX_CLOSED, ABORTED
 */
export async function openSession(sandbox: Sandbox, options: OpenSessionOptions): Promise<Session> {
  requireSandbox(sandbox, 'openSession()')
  const parsed = parseOptions(openSessionSchema, options, 'openSession()')
  const { language, signal, cellMs = CELL_MS, interruptGraceMs = INTERRUPT_GRACE_MS, locals = false } = parsed
  if (!canSpawn(sandbox))
    throw new MendloopError(
      'SANDBOX_UNSUPPORTED',
      'openSession(): this sandbox cannot start a process with open pipes. Use one that has spawn().',
      { details: { requested: 'a session', remedy: 'use a sandbox with spawn()' } },
    )
  if (signal?.aborted) throw aborted(signal)
  const limits: Partial<Limits> = { wallMs: SESSION_MS, ...parsed.limits }
  const memoryBytes = limits.memoryBytes ?? sandbox.limits?.memoryBytes
  const host = parsed.host && createHostFunctions(parsed.host)
  const command = sessionCommand(language, {
    workspace: sandbox.workdir,
    hostNames: host === undefined ? null : Object.keys(host),
    locals,
  })
  const start = async (listener: LinkListener): Promise<{ link: ControlLink; runtime: SessionRuntime }> => {
    const greeter = new Greeter(listener)
    const link = await ControlLink.open(sandbox, command, limits, greeter)
    const startMs = hasTooLittle(language, memoryBytes) ? SHORT_START_MS : START_MS
    const cancel = startTimer(startMs, () => link.fail('it did not start in time'))
    const forget = signal && onAbort(signal, () => link.fail('it was aborted'))
    const answer = await greeter.ready
    cancel()
    forget?.()
    if (signal?.aborted) {
      await link.close()
      throw aborted(signal)
    }
    if ('version' in answer) return { link, runtime: answer }
    throw notStarted(sandbox, language, memoryBytes, answer)
  }
  const desk = host && new HostDesk(host, sandbox.files, parsed.onHostCall)
  const engine = new SessionEngine({
    cellMs,
    interruptGraceMs,
    limits: { ...sandbox.limits, ...limits },
    desk,
    start,
  })
  await engine.ensureLink()
  return new LiveSession(language, engine, signal)
}

const aborted = (signal: AbortSignal): MendloopError =>
  new MendloopError('ABORTED', 'openSession(): the signal was aborted before the session was open.', {
    details: { during: 'sandbox' },
    cause: signal.reason,
  })

/** Hears the first words of a control process, then steps aside. */
class Greeter implements LinkListener {
  readonly ready: Promise<SessionRuntime | LinkEnd>
  readonly #listener: LinkListener
  #runtime: SessionRuntime | undefined
  #isReady = false
  #resolve: (answer: SessionRuntime | LinkEnd) => void = () => undefined

  constructor(listener: LinkListener) {
    this.#listener = listener
    this.ready = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  onFrame(frame: Frame): void {
    if (this.#isReady) this.#listener.onFrame(frame)
    else if (this.#runtime === undefined) {
      const hello = frame.type === FROM_GUEST.hello ? readMessage(helloSchema, frame.payload) : undefined
      if (hello === undefined) throw new Error('it did not introduce itself')
      this.#runtime = { version: hello.version, executable: hello.executable }
    } else if (frame.type === FROM_GUEST.ready) {
      this.#isReady = true
      this.#resolve(this.#runtime)
    }
  }

  onEnd(end: LinkEnd): void {
    if (this.#isReady) this.#listener.onEnd(end)
    else this.#resolve(end)
  }
}

const canSpawn = (sandbox: Sandbox): sandbox is Sandbox & Required<Pick<Sandbox, 'spawn'>> =>
  sandbox.spawn !== undefined
