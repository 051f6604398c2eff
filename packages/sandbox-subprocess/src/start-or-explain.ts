// What cannot be started is a result too, not an exception: nothing of the program has run.
import type { Outcome } from '@mendloop/core'
import { invalidOption } from '@mendloop/core/adapter'
import { tooLongTogether } from './argument-space.js'
import { isForWantOfFiles, OPEN_FILES_REMEDY } from './open-file-limit.js'
import { type Launch, type RunningProcess, startProcess } from './running-process.js'
import { errorCode, inWords } from './system-error.js'

/**
 * Starts a program; what the machine refuses becomes the outcome `lost`.
 *
 * @throws MendloopError INVALID_OPTION when arguments and variables together are too long, or hold bytes that are no text
 */
export function startOrExplain(owner: string, launch: Launch): RunningProcess {
  requireText(owner, [...launch.argv, ...Object.values(launch.env)])
  try {
    return startProcess(launch)
  } catch (error) {
    if (errorCode(error) === 'E2BIG') throw tooLongTogether(owner)
    // Not enough memory, processes or open files.
    return lostProcess(isForWantOfFiles(error) ? `${inWords(error)}. ${OPEN_FILES_REMEDY}` : inWords(error))
  }
}

/** Node passes on nothing but text; a fork of a runner gets the bytes of such a name. */
function requireText(owner: string, texts: readonly string[]): void {
  if (texts.every((text) => text.isWellFormed())) return
  throw invalidOption(owner, 'argv', 'must be text in this tier, and holds bytes that are no UTF-8', {
    expected: 'text',
    received: 'half a character (a lone surrogate)',
    hint: 'the "landlock" and "namespaces" tiers pass on such names',
  })
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
