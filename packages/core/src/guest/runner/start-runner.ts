// Starts a fork runner: its programs go in on standard input, and it introduces itself.
import { MendloopError } from '../../contract/errors.js'
import type { ForkRunner, RunnerHello } from '../../contract/fork-runner.js'
import type { CommandObject } from '../../contract/sandbox.js'
import { startTimer } from '../../internal/timer.js'
import { frame } from '../frames.js'
import { guestPrograms as shared } from '../programs.generated.js'
import type { CompiledPrograms } from './compiled-programs.js'
import { Conversation, type RunnerChannel } from './conversation.js'
import { HostRunner } from './fork-runner.js'
import { FROM_RUNNER, type Frame, RunnerFault } from './frame-stream.js'
import { keptAlive } from './kept-alive.js'
import { helloSchema, parseMessage } from './messages.js'
import { guestPrograms } from './programs.generated.js'
import { type RunnerSetup, setupMessage } from './runner-setup.js'

/** How a runner is started. */
export interface StartRunnerOptions {
  /** Interpreter: a name on the sandbox's PATH, or a path. Default `python3`. */
  readonly python?: string
  /** Id of the sandbox's provider, for errors. Default `sandbox`. */
  readonly sandbox?: string
  /** How long it may take to introduce itself, in milliseconds. Default 10 000. */
  readonly helloMs?: number
  /** Its programs, compiled by that interpreter; see `compileRunner`. Default: it compiles them when it starts. */
  readonly compiled?: CompiledPrograms | undefined
}

/**
 * Starts a fork runner. It runs as long as its process does, and ends with it; while it has nothing to do it is unref'd,
 * where `open` gives a process that can be.
 *
 * @param open - starts the process with its standard input open; called once
 * @throws MendloopError SANDBOX_UNAVAILABLE when the process does not introduce itself in time, with what it said;
 *   whatever `open` throws
 */
export async function startRunner(
  open: (command: CommandObject) => Promise<RunnerChannel>,
  setup: RunnerSetup,
  { python = 'python3', sandbox = 'sandbox', helloMs = 10_000, compiled }: StartRunnerOptions = {},
): Promise<ForkRunner> {
  const { bootstrap } = shared
  // -I: nothing in the workspace or the environment is imported; -S: packages wait until somebody wants them.
  const argv = [python, '-I', '-S', '-E', '-B', '-c', bootstrap] as const
  // Libraries are bound at its start, and not in each fork.
  const channel = await open({ argv, env: { LD_BIND_NOW: '1' } })
  let introduce: (hello: RunnerHello) => void = () => undefined
  const introduced = new Promise<RunnerHello>((resolve) => {
    introduce = resolve
  })
  let runner: HostRunner | undefined
  let greeted = false
  const onFrame = (received: Frame): void => {
    if (runner !== undefined) {
      runner.onFrame(received)
      return
    }
    if (greeted || received.type !== FROM_RUNNER.hello)
      throw new RunnerFault(`it sent a frame of type ${received.type} before it was asked for anything`)
    introduce(parseMessage(helloSchema, received.payload, 'HELLO'))
    greeted = true
  }
  const conversation = new Conversation(channel, onFrame)
  void conversation.sendRaw(frame({ programs: guestPrograms, compiled, setup: setupMessage(setup) }))
  const cancel = startTimer(helloMs, () =>
    conversation.lose(
      `it did not introduce itself within ${helloMs / 1000} seconds${conversation.complaint}`,
    ),
  )
  const hello = await Promise.race([introduced, conversation.lost.then((cause) => ({ cause }))])
  cancel()
  if ('cause' in hello) throw noRunner(sandbox, python, hello.cause)
  runner = new HostRunner(conversation, hello, sandbox)
  return keptAlive(runner, channel)
}

function noRunner(sandbox: string, python: string, reason: string): MendloopError<'SANDBOX_UNAVAILABLE'> {
  return new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `The fork runner could not be started in the sandbox "${sandbox}" with ${JSON.stringify(python)}: ${reason}. It needs Python 3.8 or later there.`,
    { details: { sandbox, reason }, retryable: true },
  )
}
