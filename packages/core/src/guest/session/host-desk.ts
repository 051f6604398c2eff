// Answers the calls of one session, one at a time. Whatever a cell sends, the application sees a checked input or none.

import type { WorkspaceFiles } from '../../contract/workspace-files.js'
import { notify } from '../../internal/notify.js'
import { startTimer } from '../../internal/timer.js'
import { callSchema, readMessage } from './guest-messages.js'
import { HostCallError, type HostFunction, type HostFunctions } from './host-function.js'
import { fromPlain, NotPlain, toPlain } from './plain-data.js'

/** Why a call was refused; `code` of `HostError` in the session. */
export type HostCallCode =
  | 'unknown-function'
  | 'invalid-input'
  | 'too-large'
  | 'too-many-calls'
  | 'rate-limited'
  | 'failed'
  | 'timed-out'
  | 'invalid-output'
  | 'closed'

/** One call, answered or refused. */
export interface HostCallEvent {
  /** As the cell gave it, shortened. */
  readonly name: string
  /** Size of its arguments as JSON. */
  readonly inputBytes: number
  /** Size of the answer as JSON; absent when there was none. */
  readonly outputBytes?: number
  /** Time that it took, in milliseconds. */
  readonly durationMs: number
  /** Why it was refused, or failed. */
  readonly error?: {
    /** In one word. */
    readonly code: HostCallCode
    /** In words, as the cell reads them. */
    readonly message: string
    /** What the handler threw. */
    readonly cause?: unknown
  }
}

class Refusal extends Error {
  readonly code: HostCallCode

  constructor(code: HostCallCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Takes the calls of one session. */
export class HostDesk {
  readonly #functions: HostFunctions
  readonly #files: WorkspaceFiles
  readonly #onCall: ((event: HostCallEvent) => void) | undefined
  readonly #counts = new Map<string, { calls: number; recent: number[] }>()
  #current: AbortController | undefined

  constructor(
    functions: HostFunctions,
    files: WorkspaceFiles,
    onCall: ((event: HostCallEvent) => void) | undefined,
  ) {
    this.#functions = functions
    this.#files = files
    this.#onCall = onCall
  }

  /** Nobody waits for the call under way any longer. */
  drop(): void {
    this.#current?.abort()
    this.#current = undefined
  }

  /** Answers one call. @returns the answer as bytes of JSON; never rejects */
  async answer(payload: Uint8Array): Promise<Uint8Array> {
    const startedAt = performance.now()
    let name = ''
    const tell = (rest: Pick<HostCallEvent, 'outputBytes' | 'error'>): void => {
      const durationMs = performance.now() - startedAt
      notify(this.#onCall, { name: name.slice(0, 80), inputBytes: payload.length, durationMs, ...rest })
    }
    try {
      const call = readMessage(callSchema, payload)
      if (call === undefined) throw new Refusal('invalid-input', 'the call could not be read')
      name = call.name
      const found = this.#admit(name, payload.length)
      const bytes = asBytes(await this.#perform(name, found, call.args), name, found.limits.maxOutputBytes)
      tell({ outputBytes: bytes.length })
      return bytes
    } catch (error) {
      const { code, message, cause } =
        error instanceof Refusal ? error : new Refusal('failed', `${name} failed in the application`, error)
      tell({ error: { code, message, ...(cause !== undefined && { cause }) } })
      return Buffer.from(JSON.stringify({ error: { code, message } }))
    }
  }

  /** Finds the function and counts the call. */
  #admit(name: string, inputBytes: number): HostFunction {
    const found = Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined
    if (found === undefined) {
      const known = Object.keys(this.#functions).join(', ') || 'none'
      throw new Refusal(
        'unknown-function',
        `there is no function ${JSON.stringify(name.slice(0, 80))}; known: ${known}`,
      )
    }
    const { maxCalls, maxCallsPerSecond, maxInputBytes } = found.limits
    const count = this.#counts.get(name) ?? { calls: 0, recent: [] }
    this.#counts.set(name, count)
    const now = performance.now()
    count.recent = count.recent.filter((at) => now - at < 1000)
    if (count.calls >= maxCalls)
      throw new Refusal('too-many-calls', `${name} may be called ${maxCalls} times in a session, and was`)
    if (count.recent.length >= maxCallsPerSecond)
      throw new Refusal(
        'rate-limited',
        `${name} may be called ${maxCallsPerSecond} times a second; wait, then call again`,
      )
    count.calls++
    count.recent.push(now)
    if (inputBytes > maxInputBytes)
      throw new Refusal(
        'too-large',
        `${name} takes at most ${maxInputBytes} bytes, and was given ${inputBytes}`,
      )
    return found
  }

  async #perform(name: string, found: HostFunction, args: unknown): Promise<unknown> {
    const given = readArguments(args)
    const controller = new AbortController()
    this.#current = controller
    const { timeoutMs } = found.limits
    let cancel = (): void => undefined
    const late = new Promise<never>((_, reject) => {
      cancel = startTimer(timeoutMs, () =>
        reject(new Refusal('timed-out', `${name} did not answer within ${timeoutMs} ms`)),
      )
      controller.signal.addEventListener('abort', () =>
        reject(new Refusal('closed', 'the cell was interrupted, or the session has ended')),
      )
    })
    try {
      const input = await Promise.race([found.check(given), late])
      if (input.problem !== undefined)
        throw new Refusal('invalid-input', `${name} does not take this: ${input.problem}`)
      const work = found.call(input.value, { signal: controller.signal, files: this.#files })
      const answer = await Promise.race([work, late])
      if (answer.problem === undefined) return answer.value
      throw new Refusal('invalid-output', `${name} gave something else than it should`, answer.problem)
    } catch (error) {
      if (error instanceof HostCallError) throw new Refusal('failed', `${name}: ${error.message}`, error)
      throw error
    } finally {
      cancel()
      controller.abort()
      if (this.#current === controller) this.#current = undefined
    }
  }
}

function readArguments(args: unknown): unknown {
  try {
    return fromPlain(args)
  } catch (error) {
    throw new Refusal(
      'invalid-input',
      error instanceof NotPlain ? error.message : 'the arguments cannot be read',
    )
  }
}

function asBytes(value: unknown, name: string, most: number): Uint8Array {
  let plain: unknown
  try {
    plain = toPlain(value)
  } catch (error) {
    throw new Refusal('invalid-output', `${name} gave something that is no plain data`, error)
  }
  const bytes = Buffer.from(JSON.stringify({ value: plain }))
  if (bytes.length <= most) return bytes
  throw new Refusal(
    'too-large',
    `the answer of ${name} is ${bytes.length} bytes long, and ${most} are allowed`,
  )
}
