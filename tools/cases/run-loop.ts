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
  const missing = new Set<string>()
  for (const one of tries) {
    const named = (words: string): string => (one.name === '' ? words : `${one.name}: ${words}`)
    const complaints = await complaintsAboutLoop(one, await runLoop(withEnoughAttempts(one)))
    const lacking = complaints.length === 0 ? undefined : notBuiltYet(one)
    if (lacking === undefined) reasons.push(...complaints.map(named))
    else missing.add(named(`${lacking} (${complaints.join('; ')})`))
  }
  if (reasons.length > 0) return { status: 'failed', reasons }
  return missing.size === 0 ? { status: 'passed' } : { status: 'not-built', reason: [...missing].join('; ') }
}

/** What a try that failed needs and the loop does not have. */
function notBuiltYet({ options, expect, protectedFiles }: LoopTry): string | undefined {
  if (options.maxAttempts === 0) return 'whether 0 attempts are honoured or refused is not decided'
  if (expect['outcome'] === 'stuck') return 'the detection of stalls is planned'
  if (protectedFiles.length > 0) return 'protected files are planned'
  return undefined
}

/** Ten where ten are spoken of; and one more than there are replies, since the last attempt is followed by no feedback. */
function withEnoughAttempts(one: LoopTry): LoopTry {
  if (one.options.maxAttempts !== undefined) return one
  const maxAttempts = 'promptGrowthOverTenAttemptsCharsAtMost' in one.expect ? 10 : one.replies.length + 1
  return { ...one, options: { ...one.options, maxAttempts } }
}
