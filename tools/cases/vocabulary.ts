// Every kind of case and every key that one of that kind may carry. What is not here makes a case fail: a key that is
// not understood would otherwise be a promise that nobody checks.
import type { BugCase } from './bug-case.js'
import { own } from './expectation.js'

interface Vocabulary {
  readonly input: string
  readonly expect: string
  /** Why no case of this kind can run yet; absent for the kinds that are built. */
  readonly notBuilt?: string
}

const docker = 'the container sandbox is planned'
const transport = 'this runner does not drive the model adapter yet'
const resume = 'this runner does not resume the repair loop yet'

const KINDS: Readonly<Record<string, Vocabulary>> = {
  extract: {
    input: 'check, finish, input, options, runStdout',
    expect:
      'blocksSeen, byPick, closed, code, codes, contains, feedbackMentions, feedbackWhenSomeNotRun, language, languages, mustNotRun, mustNotRunAs, notContains, notEmpty, reasoningContains, status, statusIn, warnings, warningsInclude',
  },
  arguments: {
    input: 'input, runStdout',
    expect: 'code, error, mustNotRun, never, oneOf, warnings, warningsInclude',
  },
  edit: {
    input: 'files, input',
    expect:
      'applied, content, contentText, created, lines, matches, never, notCreated, oneOf, reason, unchanged, warningsInclude',
  },
  'edit-whole-file': { input: 'files, input', expect: 'applied, feedbackMentions, reason, unchanged' },
  run: {
    input: 'hostEnv, hostEnvUnset, input, language, needs, options, outsideFileText',
    expect:
      'exitCode, exitCodeNot, filesNotContaining, forModel, hostMemoryGrowthMiBAtMost, nextRunWorks, rawStdout, repeat, settlesWithinMs, signal, skippedFiles, status, statusIn, statusNot, stderrContains, stdout, stdoutBytes, stdoutBytesAtMost, stdoutContains, stdoutEndsWith, stdoutNotContains, survivors, survivorsWithArgument, truncated, uncaughtExceptions, unhandledRejections, zombies',
  },
  'write-files': {
    input: 'input',
    expect: 'accepted, acceptedAs, fileNameUsed, noPartialWrite, nothingWrittenOutside, rejectedOthers',
  },
  verdict: {
    input: 'checks, copyAs, expectedTests, solution, tests',
    expect: 'failedChecks, feedbackContains, notRun, verdict',
  },
  'docker-demux': { input: 'input', expect: '', notBuilt: docker },
  'run-docker': { input: 'afterwards, input, options', expect: 'settlesWithinMs, status', notBuilt: docker },
  'docker-exit-code': { input: 'input', expect: '', notBuilt: docker },
  'docker-status': { input: 'input', expect: '', notBuilt: docker },
  'docker-pull': {
    input: 'httpStatus, input',
    expect: 'containerCreateCalls, errorType, messageContains',
    notBuilt: docker,
  },
  'docker-connect': { input: 'input', expect: 'oneOf', notBuilt: docker },
  'model-stream': {
    input: 'cuts, feed, httpStatus, input, requestMaxTokens',
    expect:
      'budgetCountsAs, error, extract, feedbackMentions, finish, idsDistinctAndNotEmpty, messageContains, phantomCalls, replacementCharacters, retryable, runs, successEvents, text, toolCalls, usage, warningsInclude',
    notBuilt: transport,
  },
  'model-retry': { input: 'httpStatus, input', expect: '', notBuilt: transport },
  'model-error-class': {
    input: 'input',
    expect: 'bad-request, context-length, rate-limit, server-error',
    notBuilt: transport,
  },
  'model-response': {
    input: 'contentType, input, status',
    expect:
      'cause, error, message, messageContains, modelCallsInLoop, outcome, reasoning, reasoningContains, retryable, runs, text, warningNames, warnings, warningsInclude',
    notBuilt: transport,
  },
  'model-script': {
    input: 'input, inputs, options',
    expect:
      'abortListenersLeft, attemptsUsed, error, eventsAfterTerminal, everyPromiseSettlesWithinMs, extractedCode, laterRequestsSendTools, openSocketsAfter, requests, requestsWhenAlreadyAborted, retryable, secondRequestHasNoKeys, settlesWithinMs, terminalEvents, textSoFar, uncaughtExceptions, unhandledRejections',
    notBuilt: transport,
  },
  loop: {
    input: 'check, files, input, options, protected',
    expect:
      'blocksIgnored, codeRun, cutsInsideACharacter, eventsAfterTerminal, feedbackCharsAtMost, feedbackContains, feedbackMentions, feedbackNotContains, feedbackOnSecondTimeContains, feedbackSaysHowMuchWasDropped, modelCalls, modelCallsAtMost, outcome, outcomeNot, processesLeft, promptGrowthOverTenAttemptsCharsAtMost, runs, settlesWithinMs, terminalEvents, testFileAtCheckTime, unhandledRejections, verdict',
  },
  'loop-resume': {
    input: 'input',
    expect:
      'attemptsCountedBeforeCrash, everyToolCallHasOneResult, idempotent, noTwoUserMessagesInARow, order, resultFor',
    notBuilt: resume,
  },
  session: { input: 'input, language, options', expect: '' },
}

/** Why a case cannot be taken as it is: its kind, or keys of it, mean nothing to this runner. */
export function notUnderstood(bugCase: BugCase): readonly string[] {
  const kind = own(KINDS, bugCase.kind)
  if (kind === undefined) return [`the kind "${bugCase.kind}" is not known`]
  const unknown = (fields: object, known: string, sort: string): string[] => {
    const names = new Set(known.split(', '))
    return Object.keys(fields)
      .filter((key) => !names.has(key))
      .map((key) => `the ${sort} "${key}" is not known for kind "${bugCase.kind}"`)
  }
  return [
    ...unknown(bugCase.input, kind.input, 'input key'),
    ...unknown(bugCase.expect, kind.expect, 'expectation'),
  ]
}

/** Why this case cannot run yet, or undefined when it can. */
export const notBuilt = ({ kind }: BugCase): string | undefined => own(KINDS, kind)?.notBuilt

/** Every kind of which cases can run. */
export const builtKinds = (): readonly string[] =>
  Object.keys(KINDS).filter((kind) => KINDS[kind]?.notBuilt === undefined)
