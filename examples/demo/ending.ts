// Being told to stop: by a signal, by the launcher's death, or by a reader that went away. Runs are aborted and cleaned up.
import { constants } from 'node:os'

/** Whether, and how, this process was told to stop. */
export interface Ending {
  /** Aborted at the first request. */
  readonly signal: AbortSignal
  /** What the process then exits with: 128 and the signal's number. */
  readonly exitCode: number | undefined
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** The launcher kills after three seconds; what cannot be cleaned up until then is left to the sandbox's own watch. */
const PATIENCE_MS = 2_500
/** Ctrl-C reaches the whole group, and the launcher passes it on as well: within this time it is still the same one. */
const ECHO_MS = 700

/** Listens for the end. The first request aborts; a second signal exits at once. */
export function endingOf(process: NodeJS.Process): Ending {
  const controller = new AbortController()
  let exitCode: number | undefined
  let endedAt = 0
  const end = (code: number): void => {
    if (exitCode !== undefined) {
      if (performance.now() - endedAt > ECHO_MS) process.exit(exitCode)
      return
    }
    exitCode = code
    endedAt = performance.now()
    controller.abort(new Error('The demo was stopped.'))
    setTimeout(() => process.exit(code), PATIENCE_MS).unref()
  }
  for (const name of SIGNALS) process.on(name, () => end(128 + constants.signals[name]))
  // The channel alone must not keep a finished demo alive.
  process.on('disconnect', () => {
    if (exitCode === undefined) end(128 + constants.signals.SIGTERM)
  })
  process.channel?.unref()
  // A reader such as `head` that has seen enough: nobody is left to be told.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => {
      if (exitCode === undefined) end(1)
    })
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
  }
}
