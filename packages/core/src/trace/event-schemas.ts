// What of an event must be there for a record to be used; more may be, of a later version of this library.
import { z } from 'zod'

const count = z.int().nonnegative()

const eventSchema = z.looseObject({
  type: z.string(),
  runId: z.string(),
  sequence: count,
  atMs: z.number(),
  attempt: count,
})

const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
})
const candidate = z.looseObject({ files: z.record(z.string(), z.string()), entry: z.string() })
const failures = z.array(z.looseObject({ message: z.string() }))
const attempt = z.looseObject({
  attempt: count,
  candidate,
  verdicts: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string(),
      visibility: z.string(),
      tests: z.array(z.looseObject({ name: z.string(), status: z.string() })).optional(),
      failures,
    }),
  ),
  failures,
  passed: z.boolean(),
})

const question = {
  id: z.string(),
  question: z.string(),
  recommended: z.string(),
  why: z.string(),
}
const answered = z.looseObject({ ...question, answer: z.string(), by: z.string() })

const payloadSchemas: Readonly<Record<string, z.ZodType>> = {
  'run-start': z.looseObject({
    goal: z.string(),
    language: z.string(),
    attempts: z.array(attempt).optional(),
    questions: z.array(answered).optional(),
  }),
  'model-start': z.looseObject({ call: count, messages: z.array(message) }),
  'model-end': z.looseObject({ call: count, reply: z.looseObject({ text: z.string() }) }),
  'candidate-ready': z.looseObject({ candidate }),
  'reply-rejected': z.looseObject({ failure: z.looseObject({ message: z.string() }) }),
  'execution-end': z.looseObject({ result: z.looseObject({}) }),
  'verification-end': z.looseObject({ verdict: z.looseObject({}) }),
  'feedback-ready': z.looseObject({ text: z.string(), failures }),
  'attempt-end': z.looseObject({ result: attempt }),
  'question-asked': z.looseObject(question),
  'question-answered': answered,
  'run-end': z.looseObject({ status: z.string() }),
}

/** What is wrong with an event, in a few words; undefined when it can be used. */
export function problemOfEvent(event: Readonly<Record<string, unknown>>): string | undefined {
  const base = eventSchema.safeParse(event)
  if (!base.success) return 'this line is not an event'
  const { type } = base.data
  const schema = Object.hasOwn(payloadSchemas, type) ? payloadSchemas[type] : undefined
  const issue = schema?.safeParse(event).error?.issues[0]
  return issue === undefined ? undefined : `this event "${type}" is damaged at ${issue.path.join('.')}`
}
