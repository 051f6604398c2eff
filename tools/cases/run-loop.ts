// Kind `loop`: what the repair loop makes of what a model says.
import type { BugCase, CaseOutcome } from './bug-case.js'
import { complaintsAboutLoop } from './loop-expectations.js'
import { runLoop } from './loop-run.js'
import { type LoopTry, NotDriven, readTries } from './loop-script.js'
import { isAboutOneProgram, runProgramFeedbackCase } from './run-program-feedback.js'

/** Runs a case of kind `loop`. */
export async function runLoopCase(bugCase: BugCase): Promise<CaseOutcome> {
  if (isAboutOneProgram(bugCase)) return runProgramFeedbackCase(bugCase)
  try {
    return await runTries(readTries(bugCase))
  } catch (error) {
    if (error instanceof NotDriven) return { status: 'not-built', reason: error.message }
    throw error
  }
}

async function runTries(tries: readonly LoopTry[]): Promise<CaseOutcome> {
  const reasons: string[] = []
  for (const one of tries) {
    const named = (words: string): string => (one.name === '' ? words : `${one.name}: ${words}`)
    reasons.push(...(await complaintsAboutLoop(one, await runLoop(withEnoughAttempts(one)))).map(named))
  }
  return reasons.length > 0 ? { status: 'failed', reasons } : { status: 'passed' }
}

/** Ten where ten are spoken of; and one more than there are replies, since the last attempt is followed by no feedback. */
function withEnoughAttempts(one: LoopTry): LoopTry {
  if (one.options.maxAttempts !== undefined) return one
  const maxAttempts = 'promptGrowthOverTenAttemptsCharsAtMost' in one.expect ? 10 : one.replies.length + 1
  return { ...one, options: { ...one.options, maxAttempts } }
}
