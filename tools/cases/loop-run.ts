// One run of the repair loop with a model that says what it was told to say, and everything that can be seen of it.
import {
  createRepairLoop,
  exitsCleanly,
  type LoopEvent,
  MendloopError,
  type ModelAdapter,
  pythonTests,
  type RepairResult,
  type RepairTask,
  type Verifier,
} from '@mendloop/core'
import { testFromExpression, testsFromChecks } from './checks-to-tests.js'
import { NotUnderstood } from './expectation.js'
import type { LoopCheck, LoopTry } from './loop-script.js'
import { caseSandbox } from './names.js'
import { ProcessWatch } from './processes.js'
import { type UnhandledErrors, UnhandledWatch } from './unhandled.js'

/** What was seen of a run. */
export interface ObservedLoop {
  readonly result: RepairResult
  /** Every event, in order. */
  readonly events: readonly LoopEvent[]
  /** Requests that reached the model's server. */
  readonly requests: number
  readonly tookMs: number
  readonly processes: ProcessWatch
  readonly unhandled: UnhandledErrors
  /** What the protected files held whenever the program was judged. */
  readonly protectedContents: readonly Readonly<Record<string, string>>[]
}

/** What a refused option looks like. */
export interface RefusedLoop {
  readonly refusal: MendloopError
  readonly requests: number
}

/** Runs the loop. An option that the product refuses is a result; every other error is thrown. */
export async function runLoop(given: LoopTry): Promise<ObservedLoop | RefusedLoop> {
  const { maxAttempts, maxTokensTotal, transportRetries, totalTimeoutMs, abortAfterMs } = given.options
  const { maxFeedbackChars, maxOutputTokens, limits } = given.options
  // Of a case that does not speak of being stuck, every program is to be run.
  const stallAfter = given.options.stallAfter ?? (given.expect['outcome'] === 'stuck' ? 3 : false)
  const model = modelOf(given)
  const events: LoopEvent[] = []
  const protectedContents: Record<string, string>[] = []
  const processes = new ProcessWatch()
  using unhandled = new UnhandledWatch()
  const sampler = setInterval(() => processes.look(), 20)
  const startedAt = performance.now()
  try {
    const loop = createRepairLoop({
      model: model.adapter,
      sandbox: caseSandbox(),
      budget: {
        // Every call counts, also one whose reply holds no program.
        ...(maxAttempts !== undefined && {
          attempts: maxAttempts,
          modelCalls: maxAttempts,
          formatErrors: maxAttempts,
          editErrors: maxAttempts,
        }),
        ...(maxTokensTotal !== undefined && { totalTokens: maxTokensTotal }),
        ...(transportRetries !== undefined && { infrastructureErrors: transportRetries }),
        ...(totalTimeoutMs !== undefined && { wallMs: totalTimeoutMs }),
      },
      limits,
      stallAfter,
      ...(maxFeedbackChars !== undefined && { feedbackChars: maxFeedbackChars }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    })
    const abort = abortAfterMs === undefined ? {} : { signal: AbortSignal.timeout(abortAfterMs) }
    const run = loop.start(taskOf(given, protectedContents), abort)
    for await (const event of run) events.push(event)
    const result = await run.result
    const tookMs = performance.now() - startedAt
    await unhandled.reported()
    return { result, events, requests: model.requests(), tookMs, processes, unhandled, protectedContents }
  } catch (error) {
    if (!MendloopError.is(error, 'INVALID_OPTION')) throw error
    return { refusal: error, requests: model.requests() }
  } finally {
    clearInterval(sampler)
  }
}

/** The model behind a server that first answers as the case says. */
function modelOf({ replies, takesTurns, transport, usagePerCall }: LoopTry): {
  readonly adapter: ModelAdapter
  requests(): number
} {
  let requests = 0
  let answers = 0
  const adapter: ModelAdapter = {
    id: 'scripted',
    specVersion: 'model-v1',
    async generate({ signal }) {
      signal.throwIfAborted()
      const step = transport[Math.min(requests++, transport.length - 1)] ?? 'ok'
      if (step !== 'ok') throw refusedBy(Number(step))
      const index = takesTurns ? answers % replies.length : Math.min(answers, replies.length - 1)
      answers++
      const usage = usagePerCall === undefined ? {} : { inputTokens: usagePerCall - 1, outputTokens: 1 }
      return { text: '', toolCalls: [], finish: 'stop', ...replies[index], usage }
    },
  }
  return { adapter, requests: () => requests }
}

const refusedBy = (status: number): MendloopError =>
  new MendloopError('MODEL_REQUEST_FAILED', `The server answered ${status}.`, {
    details: { model: 'scripted', reason: 'server-error', status },
    retryable: status >= 500 || status === 429,
  })

/** The files that the model may not touch are the task's inputs; the others are the program to mend. */
function taskOf(given: LoopTry, protectedContents: Record<string, string>[]): RepairTask {
  const { files, options, check } = given
  const inputs = Object.entries(files).filter(([path]) => isProtected(path, given))
  const program = Object.entries(files).filter(([path]) => !isProtected(path, given))
  const entry = program.find(([path]) => path.endsWith('.py'))?.[0]
  if (program.length > 0 && entry === undefined)
    throw new NotUnderstood('"files" holds no program of Python to mend')
  const code = entry === undefined ? given.replies.map(({ text }) => text).join('\n') : (files[entry] ?? '')
  const verify =
    check === undefined
      ? inputs.filter(([path]) => isTest(path)).map(([, text]) => pythonTests(text))
      : [checkOf(check, { path: entry ?? 'solution.py', code })]
  const checks = verify.length > 0 ? verify : [exitsCleanly()]
  return {
    goal: 'Write the program that is wanted.',
    language: options.language,
    ...(entry !== undefined && { entry, program: Object.fromEntries(program) }),
    files: Object.fromEntries(inputs),
    ...(given.protectedFiles.length > 0 && { protect: given.protectedFiles }),
    verify: checks.map((verifier) =>
      lookingAt(
        inputs.map(([path]) => path),
        protectedContents,
        verifier,
      ),
    ),
  }
}

const isTest = (path: string): boolean => /(?:^|\/)test_[^/]*\.py$/.test(path)

function isProtected(path: string, { protectedFiles }: LoopTry): boolean {
  const name = path.split('/').at(-1) ?? ''
  return protectedFiles.some((pattern) => {
    const [start = '', ...rest] = pattern
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    const asPattern = new RegExp(`^${[start, ...rest].join('[^/]*')}$`)
    return asPattern.test(pattern.includes('/') ? path : name)
  })
}

function checkOf({ sort, text }: LoopCheck, program: { path: string; code: string }): Verifier {
  if (sort === 'tests') return pythonTests(text)
  if (sort === 'checks') return pythonTests(testsFromChecks(JSON.parse(text), program).source)
  return pythonTests(testFromExpression(text, program))
}

/** The check, which first remembers what the files hold when it is made. */
function lookingAt(
  paths: readonly string[],
  seen: Record<string, string>[],
  { name, visibility, verify }: Verifier,
): Verifier {
  return {
    name,
    visibility,
    async verify(context) {
      const contents = paths.map(async (path) => [path, await context.sandbox.files.readText(path)] as const)
      if (paths.length > 0) seen.push(Object.fromEntries(await Promise.all(contents)))
      return verify(context)
    },
  }
}
