// Events of a run in, lines of the report out. Pure: it writes nothing and asks no clock.
import type { LoopEvent, LoopEventOf, Outcome } from '@mendloop/core'
import { diffLines } from './diff-lines.js'
import { verdictLines } from './failure-lines.js'
import { duration, indented, labelled, type Page, plural, quoted, rule } from './layout.js'
import { plainLine, plainLines, wrap } from './text-width.js'

const HEAD_LINES = 14
const OUTPUT_LINES = 6

/** The report of one run, event by event. */
export class RunView {
  readonly #page: () => Page
  #attempt = 0
  #turns = 0
  #reply: LoopEventOf<'model-end'> | undefined
  #deltaChars = 0
  #executionMs = 0
  #cost = noCost()
  #firstVerdict = true
  #told = new Map<string, string>()
  #activity: string | undefined
  #troubled = false

  /** @param page - asked anew for every event, since a terminal can be resized */
  constructor(page: () => Page) {
    this.#page = page
  }

  /** What is going on right now; undefined when nothing is. */
  get activity(): string | undefined {
    return this.#activity
  }

  /** Takes one event and gives the lines it adds to the report. */
  accept(event: LoopEvent): readonly string[] {
    switch (event.type) {
      case 'attempt-start':
        return this.#attemptStart(event)
      case 'model-start':
        this.#deltaChars = 0
        this.#activity = 'the model is thinking'
        return this.#tryingAgain('model', 'gave no answer; it is asked once more')
      case 'model-delta':
        this.#deltaChars += event.text.length
        return this.#now(`the model is writing, ${this.#deltaChars} characters so far`)
      case 'model-end':
        this.#reply = event
        this.#cost = plus(this.#cost, event)
        return this.#now('reading the reply')
      case 'model-error':
      case 'infrastructure-error':
        // Told when it is tried again; when it is not, the run's end says why.
        this.#troubled = true
        return []
      case 'candidate-ready':
        return this.#candidate(event)
      case 'reply-rejected':
        return labelled(
          this.#page(),
          'model',
          `gave no usable program: ${event.failure.message}`,
          this.#page().style.yellow,
        )
      case 'sandbox-start':
        this.#activity = 'starting'
        return this.#tryingAgain('sandbox', 'was lost; another one is opened')
      case 'execution-start':
        return event.purpose === 'program' ? this.#now(`running ${plainLine(event.command)}`) : []
      case 'execution-end':
        return this.#executionEnd(event)
      case 'verification-start':
        return this.#now(`checking: ${event.verifier}`)
      case 'verification-end':
        return this.#verdict(event)
      case 'attempt-end':
        return this.#attemptEnd(event)
      case 'run-end':
        this.#activity = undefined
        return []
      default:
        return []
    }
  }

  #tryingAgain(label: string, sentence: string): readonly string[] {
    if (!this.#troubled) return []
    this.#troubled = false
    return labelled(this.#page(), label, sentence, this.#page().style.yellow)
  }

  #now(activity: string): readonly string[] {
    this.#activity = activity
    return []
  }

  #attemptStart({ attempt }: LoopEventOf<'attempt-start'>): readonly string[] {
    this.#activity = 'asking the model'
    if (attempt === this.#attempt) return []
    this.#attempt = attempt
    this.#executionMs = 0
    this.#cost = noCost()
    this.#firstVerdict = true
    this.#told = new Map()
    return ['', rule(this.#page(), `attempt ${attempt}`)]
  }

  #candidate({ candidate, diff, warnings }: LoopEventOf<'candidate-ready'>): readonly string[] {
    const page = this.#page()
    const { style } = page
    const names = Object.entries(candidate.files).map(
      ([path, text]) => `${path}, ${plural(plainLines(text).length, 'line')}`,
    )
    const first = this.#turns++ === 0
    const lines = labelled(page, 'model', `${first ? 'wrote' : 'rewrote'} ${names.join('; ')}`)
    for (const line of proseLines(this.#reply?.reply.text ?? '', page.width))
      lines.push(indented(style.dim(line)))
    for (const warning of warnings) lines.push(...labelled(page, '', warning, style.yellow))
    if (first) return [...lines, ...headLines(page, candidate.files[candidate.entry] ?? '')]
    if (diff === '') return [...lines, ...labelled(page, 'patch', 'nothing was changed', style.yellow)]
    return [...lines, style.bold('patch'), ...diffLines(page, diff)]
  }

  #executionEnd({ command, purpose, result }: LoopEventOf<'execution-end'>): readonly string[] {
    this.#executionMs += result.durationMs
    if (purpose !== 'program') return []
    const page = this.#page()
    const { style } = page
    const [outcome, paint] = [outcomeText(result.outcome), result.ok ? style.green : style.red]
    const printed = plainLines(result.stdout.text)
    return [
      ...labelled(page, 'run', command, style.bold),
      indented(`${paint(outcome)} ${style.dim(`after ${duration(result.durationMs)}`)}`),
      ...quoted(page, printed.slice(0, OUTPUT_LINES)),
      ...(printed.length > OUTPUT_LINES
        ? [indented(style.dim(`… ${plural(printed.length - OUTPUT_LINES, 'more line')}`))]
        : []),
    ]
  }

  #verdict({ verdict }: LoopEventOf<'verification-end'>): readonly string[] {
    const label = this.#firstVerdict ? 'checks' : ''
    this.#firstVerdict = false
    return verdictLines(this.#page(), label, verdict, this.#told)
  }

  #attemptEnd(_event: LoopEventOf<'attempt-end'>): readonly string[] {
    this.#activity = undefined
    const { inputTokens, outputTokens, estimated, costUsd, modelMs } = this.#cost
    const number = (tokens: number | undefined): string => tokens?.toLocaleString('en-US') ?? '?'
    const parts = [
      `${number(inputTokens)} + ${number(outputTokens)} tokens${estimated ? ' (estimated)' : ''}`,
      costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`,
      `model ${duration(modelMs)}`,
      `programs ${duration(this.#executionMs)}`,
    ]
    const page = this.#page()
    return labelled(page, 'cost', parts.filter((part) => part !== undefined).join(' · '), page.style.dim)
  }
}

/** What the replies of one attempt cost together, those without a usable program too; undefined where one is not known. */
interface Cost {
  readonly replies: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly estimated: boolean
  readonly costUsd: number | undefined
  readonly modelMs: number
}

const noCost = (): Cost => ({
  replies: 0,
  inputTokens: undefined,
  outputTokens: undefined,
  estimated: false,
  costUsd: undefined,
  modelMs: 0,
})

function plus(cost: Cost, { reply, costUsd, durationMs }: LoopEventOf<'model-end'>): Cost {
  const sum = (before: number | undefined, more: number | undefined): number | undefined =>
    cost.replies === 0 ? more : before === undefined || more === undefined ? undefined : before + more
  return {
    replies: cost.replies + 1,
    inputTokens: sum(cost.inputTokens, reply.usage.inputTokens),
    outputTokens: sum(cost.outputTokens, reply.usage.outputTokens),
    estimated: cost.estimated || reply.usage.estimated === true,
    costUsd: sum(cost.costUsd, costUsd),
    modelMs: cost.modelMs + durationMs,
  }
}

/** What the model said before its code: at most four lines, Markdown's marks taken away. */
function proseLines(text: string, width: number): string[] {
  const before = text.split(/^ {0,3}(?:`{3,}|~{3,})/m)[0] ?? ''
  const prose = plainLine(before.replace(/\s+/g, ' ').replace(/[*`#]+/g, '')).trim()
  if (prose === '') return []
  const lines = wrap(`“${prose}”`, Math.max(20, width - 9))
  return lines.length <= 4 ? lines : [...lines.slice(0, 3), `${lines[3] ?? ''} …`]
}

/** The first lines that say something: imports and what stands before them are the same in every program. */
function headLines(page: Page, program: string): string[] {
  const lines = plainLines(program)
  const from = Math.max(
    0,
    lines.findIndex((line) => line.trim() !== '' && !/^(?:import|from)\b/.test(line)),
  )
  const until = lines.length <= from + HEAD_LINES + 2 ? lines.length : from + HEAD_LINES
  const digits = String(until).length
  const numbered = lines
    .slice(from, until)
    .map((line, at) => `${String(from + at + 1).padStart(digits)}  ${line}`)
  const left = lines.length - until
  return [
    ...quoted(page, numbered, page.style.dim),
    ...(left > 0 ? [indented(page.style.dim(`… ${plural(left, 'more line')}`))] : []),
  ]
}

/** How a program ended, in words. */
function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exit':
      return `exit code ${outcome.code}`
    case 'signal':
      return `killed by ${outcome.signal}`
    case 'timeout':
      return `stopped at its ${outcome.clock} limit of ${duration(outcome.limitMs)}`
    case 'resource':
      return `stopped at its ${outcome.limit} limit`
    case 'denied':
      return `stopped by the sandbox: ${outcome.rule}`
    case 'aborted':
      return 'stopped'
    case 'lost':
      return `lost: ${outcome.cause}`
  }
}
