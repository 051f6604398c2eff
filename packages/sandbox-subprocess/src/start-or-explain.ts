// What cannot be started is a result too, not an exception: nothing of the program has run.
import type { Outcome } from '@mendloop/core'
import { invalidOption } from '@mendloop/core/adapter'
import { type Launch, type RunningProcess, startProcess } from './running-process.js'
import { errorCode, inWords } from './system-error.js'

/**
 * Starts a program; what the machine refuses becomes the outcome `lost`.
 *
 * @throws MendloopError INVALID_OPTION when arguments and variables together are too long
 */
export function startOrExplain(owner: string, launch: Launch): RunningProcess {
  try {
    return startProcess(launch)
  } catch (error) {
    if (errorCode(error) === 'E2BIG')
      throw invalidOption(owner, 'argv', 'and variables together are longer than the system passes', {
        expected: 'at most about 2 MiB',
        received: 'more',
        hint: 'write the data to a file with files.write(), or pass it as stdin',
      })
    // Not enough memory or processes.
    return lostProcess(inWords(error))
  }
}

/** A program that never ran. */
export const neverRan = (outcome: Outcome): RunningProcess => ({
  pid: undefined,
  stdin: null,
  stop: () => undefined,
  pause: () => undefined,
  ended: Promise.resolve({ outcome, durationMs: 0, leftover: false }),
})

/** A program that could not be run. */
export const lostProcess = (cause: string): RunningProcess => neverRan({ kind: 'lost', cause })
