// Python: how to run it and how to read its failures.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult } from '../contract/execution.js'
import type { Failure } from '../contract/verify.js'
import { asArgument } from './build-folder.js'
import { fingerprintOf } from './fingerprint.js'
import type { Language } from './language.js'
import { outcomeFailure } from './outcome-failure.js'
import { programPaths } from './program-paths.js'
import { filesOfPrinted, toFailure } from './python-failure.js'
import { parseFatal } from './python-fatal.js'
import { type PrintedException, parseTracebacks } from './python-traceback.js'
import { textForModel } from './text-for-model.js'

const MOST_FAILURES = 10

/** Python 3. */
export const python: Language = {
  id: 'python',
  entry: 'solution.py',
  tools: [{ name: 'python3', probe: ['python3', '--version'], remedy: 'apt-get install python3' }],
  // -s: no packages of the user's own; -B: no __pycache__ among the files; -u: what was printed before a kill is kept.
  recipe: ({ entry }) => ({ run: { argv: ['python3', '-s', '-B', '-u', asArgument(entry)] } }),
  diagnose: diagnosePython,
}

/** Reads an execution of a Python program; without `candidate` every file outside of libraries counts as its own. */
function diagnosePython(execution: ExecutionResult, candidate?: Candidate): readonly Failure[] {
  const { outcome, ok, stderr } = execution
  if (ok || outcome.kind === 'aborted' || outcome.kind === 'lost') return []
  const missing = missingEntry(execution, candidate)
  if (missing !== undefined) return [missing]

  const text = textForModel(stderr.text)
  const printed = parseTracebacks(text, { omittedBytes: stderr.omittedBytes })
  const fatal = outcome.kind === 'signal' ? parseFatal(text) : undefined
  // A traceback that was cut names files too, and so does a warning, though neither is one that could be read.
  const named = [...text.matchAll(/^ *File "(\/[^"\n]+)", line \d|^(\/[^:\n]+):\d+: \w*Warning: /gmu)].map(
    ([, file, warned]) => file ?? warned ?? '',
  )
  const seen = [...[...printed, ...(fatal === undefined ? [] : [fatal])].flatMap(filesOfPrinted), ...named]
  const paths = programPaths({ seen, ...(candidate !== undefined && { candidate }) })
  const context = { paths, candidate }

  const last = printed.findLast(({ origin }) => origin === 'main')
  // 1 is the code of an uncaught exception; with any other, the traceback is but something that was printed.
  const explained = last !== undefined && outcome.kind === 'exit' && outcome.code <= 1
  const raised = last === undefined || (explained && printed.at(-1) === last) ? last : shortMessage(last)
  const threads = printed.filter(({ origin }) => origin === 'thread').map(shortMessage)
  const all = [...(raised === undefined ? [] : [raised, ...raised.members]), ...threads]
  const failures = all.slice(0, MOST_FAILURES).map((one) => toFailure(one, context))
  if (explained) return withoutRepeats(failures)

  const ended = outcomeFailure(execution, {
    hide: paths.hide,
    ...(raised !== undefined && { raised: paths.hide(firstLine(raised.message)) }),
  })
  if (ended === undefined) return withoutRepeats(failures)
  // The dump of a fault says where; how it ended says what.
  const place = fatal === undefined ? {} : toFailure(fatal, context)
  return withoutRepeats([{ ...place, ...ended }, ...failures])
}

/**
 * What follows an exception that was not the end of the program may be its message or anything else that was printed;
 * a blank line is where it surely ends.
 */
function shortMessage(raised: PrintedException): PrintedException {
  const end = raised.message.indexOf('\n\n')
  return end === -1 ? raised : { ...raised, message: raised.message.slice(0, end) }
}

function withoutRepeats(failures: readonly Failure[]): readonly Failure[] {
  return failures.filter(
    ({ fingerprint, message }, index) =>
      failures.findIndex((other) => other.fingerprint === fingerprint && other.message === message) === index,
  )
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

/** The interpreter exits with 2 when the file it is to run is not there. */
function missingEntry(execution: ExecutionResult, candidate: Candidate | undefined): Failure | undefined {
  const { outcome, stderr } = execution
  if (outcome.kind !== 'exit' || outcome.code !== 2) return undefined
  const file = /can't open file '(.+)': \[Errno 2\]/u.exec(stderr.text)?.[1]
  if (file === undefined) return undefined
  const name = candidate?.entry ?? file.slice(file.lastIndexOf('/') + 1)
  const failure = { kind: 'missing-entry', message: `There is no file ${name} to run.` } as const
  return { ...failure, fingerprint: fingerprintOf(failure) }
}
