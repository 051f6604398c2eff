// Kind `loop`, where only what the model reads of one program matters: as a program, and as the tenth cell of a session.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitsCleanly, openSession, verifyOnce } from '@mendloop/core'
import type { BugCase, CaseOutcome } from './bug-case.js'
import { asText, type Complaint, contains, containsNone, own } from './expectation.js'
import { caseSandbox, cellFeedback } from './names.js'

const CHECKS: Readonly<Record<string, (what: string, wanted: unknown, feedback: string) => Complaint>> = {
  feedbackContains: (what, wanted, feedback) => contains(what, wanted, feedback),
  feedbackMentions: (what, wanted, feedback) => contains(what, wanted, feedback, true),
  feedbackNotContains: (what, wanted, feedback) => containsNone(what, wanted, feedback),
}
const CELLS_BEFORE = 9

/** Whether the case is about one program and what is said of it. */
export const isAboutOneProgram = ({ input, expect }: BugCase): boolean =>
  Object.keys(input).every((key) => key === 'input') &&
  String(input['input']).endsWith('.py') &&
  Object.keys(expect).every((key) => Object.hasOwn(CHECKS, key))

/** Runs such a case. */
export async function runProgramFeedbackCase({ input, expect, folder }: BugCase): Promise<CaseOutcome> {
  const code = readFileSync(join(folder, asText(input['input'])), 'utf8')
  const feedbacks = {
    feedback: await asProgram(code),
    "feedback of the session's tenth cell": await asCell(code),
  }
  const reasons = Object.entries(feedbacks).flatMap(([what, feedback]) =>
    Object.entries(expect).map(([key, wanted]) => own(CHECKS, key)?.(what, wanted, feedback)),
  )
  const complaints = reasons.filter((reason) => reason !== undefined)
  return complaints.length === 0 ? { status: 'passed' } : { status: 'failed', reasons: complaints }
}

async function asProgram(code: string): Promise<string> {
  const result = await verifyOnce({
    candidate: { files: { 'solution.py': code }, entry: 'solution.py' },
    language: 'python',
    verify: [exitsCleanly()],
    sandbox: caseSandbox(),
  })
  return result.feedback
}

async function asCell(code: string): Promise<string> {
  await using sandbox = await caseSandbox().create()
  await using session = await openSession(sandbox, { language: 'python' })
  for (let cell = 0; cell < CELLS_BEFORE; cell++) await session.run('pass')
  return cellFeedback(await session.run(code))
}
