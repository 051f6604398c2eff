// What a case of kind `loop` may expect, key by key.
import { extractCandidate, type LoopEvent, type LoopEventType } from '@mendloop/core'
import {
  all,
  asBoolean,
  asCount,
  asFilledText,
  asKnown,
  atMost,
  type Complaint,
  contains,
  containsNone,
  equals,
  isNoneOf,
  NotUnderstood,
  own,
  sameCode,
  shown,
} from './expectation.js'
import type { ObservedLoop, RefusedLoop } from './loop-run.js'
import type { LoopTry } from './loop-script.js'
import { LOOP_OUTCOMES, loopOutcome } from './names.js'
import { canListProcesses, settled } from './processes.js'

interface Seen extends ObservedLoop {
  readonly given: LoopTry
  /** What the model was told after each attempt, in order. */
  readonly feedbacks: readonly string[]
}

type Check = (wanted: unknown, seen: Seen) => Complaint | Promise<Complaint>

const CHECKS: Readonly<Record<string, Check>> = {
  outcome: (wanted, seen) => equals('outcome', asKnown(wanted, LOOP_OUTCOMES), outcomeOf(seen)),
  outcomeNot: (wanted, seen) =>
    isNoneOf('outcome', wanted, outcomeOf(seen), (one) => asKnown(one, LOOP_OUTCOMES)),
  verdict: (wanted, { result }) =>
    equals('verdict', asKnown(wanted, ['pass', 'fail']), result.status === 'verified' ? 'pass' : 'fail'),
  modelCalls: (wanted, { events }) => equals('model calls', asCount(wanted), modelCalls(events)),
  modelCallsAtMost: (wanted, { events }) => atMost('model calls', wanted, modelCalls(events)),
  httpRequests: (wanted, { requests }) => equals('requests', asCount(wanted), requests),
  attempts: (wanted, { result }) => equals('attempts', asCount(wanted), result.spent.attempts),
  runs: (wanted, { events }) =>
    // Whether the same program runs again is left open by the words of B83.
    wanted === 'identical normalised code need not run again'
      ? atMost('programs that ran', modelCalls(events), programsRun(events))
      : equals('programs that ran', asCount(wanted), programsRun(events)),
  codeRun: (wanted, { result, events }) =>
    typeof wanted === 'boolean'
      ? equals('code ran', wanted, programsRun(events) > 0)
      : sameCode('code that ran', wanted, lastCode(result)),
  blocksIgnored: (wanted, { given: { replies, options } }) =>
    equals('blocks ignored', asCount(wanted), ignored(replies.at(-1)?.text ?? '', options.language)),
  feedbackContains: (wanted, { feedbacks }) => inOne(feedbacks, (text) => contains('feedback', wanted, text)),
  feedbackMentions: (wanted, { feedbacks }) =>
    inOne(feedbacks, (text) => contains('feedback', wanted, text, true)),
  feedbackNotContains: (wanted, { feedbacks }) =>
    all(...feedbacks.map((text) => containsNone('feedback', wanted, text))),
  feedbackOnSecondTimeContains: (wanted, { feedbacks }) =>
    contains('feedback on the second time', wanted, feedbacks[1] ?? ''),
  feedbackCharsAtMost: (wanted, { feedbacks }) =>
    atMost('characters of feedback', wanted, Math.max(...told(feedbacks).map((text) => text.length))),
  feedbackSaysHowMuchWasDropped: (wanted, { feedbacks }) =>
    equals('feedback says how much was dropped', asBoolean(wanted), told(feedbacks).every(saysHowMuch)),
  cutsInsideACharacter: (wanted, { feedbacks }) =>
    equals(
      'cuts inside a character',
      asCount(wanted),
      told(feedbacks)
        .join('\n')
        .match(/\p{Cs}|\ufffd/gu)?.length ?? 0,
    ),
  promptGrowthOverTenAttemptsCharsAtMost: (wanted, { events }) => {
    const prompts = ofType(events, 'model-start').map(({ messages }) => JSON.stringify(messages).length)
    const [first, tenth] = [prompts[0], prompts[9]]
    return first === undefined || tenth === undefined
      ? `growth of the prompt: there were only ${prompts.length} of ten prompts`
      : atMost('growth of the prompt', wanted, tenth - first)
  },
  testFileAtCheckTime: (wanted, { given, protectedContents }) => {
    asKnown(wanted, ['as given'])
    if (protectedContents.length === 0) return 'protected files: nothing was ever judged'
    const changed = protectedContents
      .flatMap(Object.entries)
      .find(([path, text]) => text !== given.files[path])
    return changed && `protected files: ${changed[0]} is not as given, but ${shown(changed[1])}`
  },
  terminalEvents: (wanted, { events }) =>
    equals('terminal events', asCount(wanted), ofType(events, 'run-end').length),
  eventsAfterTerminal: (wanted, { events }) => {
    const end = events.findIndex(({ type }) => type === 'run-end')
    return equals('events after the terminal one', asCount(wanted), end === -1 ? 0 : events.length - end - 1)
  },
  processesLeft: async (wanted, { processes }) =>
    canListProcesses
      ? equals('processes left', asCount(wanted), await settled(() => processes.survivors(), asCount(wanted)))
      : `processes left: processes cannot be listed on ${process.platform}`,
  settlesWithinMs: (wanted, { tookMs }) => atMost('milliseconds to settle', wanted, tookMs),
  unhandledRejections: (wanted, { unhandled }) =>
    equals('unhandled rejections', asCount(wanted), unhandled.rejections),
}

/** Everything about one run that is not as expected. */
export async function complaintsAboutLoop(
  given: LoopTry,
  run: ObservedLoop | RefusedLoop,
): Promise<readonly string[]> {
  const { throwsBeforeAnyCall, ...expect } = given.expect
  if (Object.keys(given.expect).length === 0) throw new NotUnderstood('the case expects nothing')
  const complaints: Complaint[] = []
  if (throwsBeforeAnyCall !== undefined) complaints.push(complaintAboutRefusal(throwsBeforeAnyCall, run))
  else if ('refusal' in run) complaints.push(`refused: ${run.refusal.message}`)
  for (const [key, wanted] of Object.entries(expect)) {
    const check = own(CHECKS, key)
    if (check === undefined) throw new NotUnderstood(`the expectation "${key}" of a loop is not known`)
    if (!('refusal' in run))
      complaints.push(await check(wanted, { ...run, given, feedbacks: feedbacksOf(run.events) }))
  }
  return complaints.filter((complaint) => complaint !== undefined)
}

function complaintAboutRefusal(wanted: unknown, run: ObservedLoop | RefusedLoop): Complaint {
  asKnown(asFilledText(wanted), ['invalid option'])
  if (!('refusal' in run)) return `must be refused as an invalid option, but ended as ${run.result.status}`
  return equals('requests before the refusal', 0, run.requests)
}

type EventOf<T extends LoopEventType> = Extract<LoopEvent, { readonly type: T }>

const ofType = <T extends LoopEventType>(events: readonly LoopEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type)

/** A call that is tried again after a failure of the server is one call. */
const modelCalls = (events: readonly LoopEvent[]): number => {
  const asked = events.filter(({ type }) => type === 'model-start' || type === 'model-error')
  return asked.filter(({ type }, index) => type === 'model-start' && asked[index - 1]?.type !== 'model-error')
    .length
}

/** Programs of the model's that were started; the one to begin with is not. */
const programsRun = (events: readonly LoopEvent[]): number =>
  new Set(ofType(events, 'execution-start').flatMap(({ attempt }) => (attempt > 0 ? [attempt] : []))).size

const feedbacksOf = (events: readonly LoopEvent[]): readonly string[] =>
  ofType(events, 'feedback-ready').flatMap(({ attempt, text }) => (attempt > 0 ? [text] : []))

function outcomeOf({ result, events }: Seen): string {
  const reply = ofType(events, 'model-end').at(-1)?.reply
  return loopOutcome(result, reply)
}

const ignored = (reply: string, language: string): number =>
  extractCandidate(reply, { language }).notRun.length

function lastCode({ attempts }: ObservedLoop['result']): string | undefined {
  const candidate = attempts.at(-1)?.candidate
  return candidate?.files[candidate.entry]
}

/** Somewhere all of it must be said at once. */
function inOne(feedbacks: readonly string[], complain: (text: string) => Complaint): Complaint {
  const complaints = (feedbacks.length === 0 ? [''] : feedbacks).map(complain)
  return complaints.includes(undefined) ? undefined : complaints[0]
}

function told(feedbacks: readonly string[]): readonly string[] {
  if (feedbacks.length === 0) throw new NotUnderstood('the model was never told anything')
  return feedbacks
}

const saysHowMuch = (text: string): boolean =>
  /\d[\d,.]*\s+(?:of\s+\d[\d,.]*\s+)?(?:more\s+)?(?:bytes|characters|chars|lines)\s+(?:were\s+)?(?:left out|omitted|dropped|cut)/i.test(
    text,
  )
