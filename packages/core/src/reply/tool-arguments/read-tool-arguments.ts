// The arguments of one tool call in, the files of a program out; or a sentence that says why there are none.
import { z } from 'zod'
import { languageId, languageOfPath } from '../../contract/language-names.js'
import type { ModelReply, ToolCall } from '../../contract/model.js'
import { invalidOption, parseOptions } from '../../contract/options.js'
import type { Failure, FailureKind } from '../../contract/verify.js'
import { fingerprintOf } from '../../language/fingerprint.js'
import { parses } from '../../language/parses.js'
import { findBlocks } from '../blocks.js'
import { extractEdits } from '../edits/extract-edits.js'
import { safePath } from '../path-label.js'
import { WorkBudget } from '../work-budget.js'
import { type ArgumentFile, type ArgumentFiles, filesIn, notWhole } from './argument-files.js'
import { cleanCode } from './clean-code.js'
import { decodeArguments } from './decode-arguments.js'

/** How arguments are read. */
export interface ReadToolArgumentsOptions {
  /** Language of the program, by any of its usual names; it counts for files of which neither path nor call names one. */
  language: string
  /** Why the reply ended. After `length` and `filter` nothing that is missing at the end is added. Default `stop`. */
  finish?: ModelReply['finish']
}

const optionsSchema: z.ZodType<ReadToolArgumentsOptions> = z.strictObject({
  language: z.string().min(1),
  finish: z.enum(['stop', 'length', 'tool', 'filter', 'other']).optional(),
})

/** One file of a tool call. */
export interface ToolFile {
  /** Path within the workspace; absent where the call gives none, or one that was refused. */
  readonly path?: string
  /** Its text with LF line ends. */
  readonly text: string
  /** Canonical id of the language that the call names; absent where it names none. */
  readonly language?: string
  /** False for a text under a name such as `text` or `content` without a path, which may be words for a person. */
  readonly isCode: boolean
}

/** What the arguments of a tool call hold. */
export type ToolArguments = {
  /** Stable names of what was mended or odd, in order of discovery. */
  readonly warnings: readonly string[]
} & (
  | {
      /** There is at least one file. */
      readonly status: 'ok'
      /** The files, in order; a path that comes twice stands for the last of them. */
      readonly files: readonly ToolFile[]
    }
  | {
      /**
       * `none`: the call is about something else; `incomplete`: it was cut; `unreadable`: broken in a way that has more
       * than one reading, or of a form that is not known.
       */
      readonly status: 'none' | 'incomplete' | 'unreadable'
      /** Why, for the model. */
      readonly failure: Failure
    }
)

/**
 * Reads the arguments of a tool call as files of a program.
 *
 * Known forms: `{ code }`, `{ path, content }`, `{ files: { [path]: text } }`, `{ files: [{ path, content }] }`, the
 * names that models use instead (`source`, `script`, `file_path`, `file_text`, …), any of these within `arguments` or
 * `input`, and plain text for a tool of free form.
 *
 * A call that changes a part of a file (old and new text, an insertion, a list of edits, a patch) is `unreadable` with a failure
 * of kind `edit`, so that no change is lost in silence.
 *
 * JSON that is broken is mended only where there is one reading: control characters within strings, commas before a closing
 * bracket, closing brackets missing at the end of a reply that was not cut, a literal of Python, a fence round all of it,
 * JSON within a JSON string. Code with visible line ends is decoded once more (`unescaped-twice`) when it parses only
 * then. Whatever was mended is named in `warnings`; all else is a failure that says what is wrong and where.
 *
 * Pure, and takes time in proportion to the length of the text.
 *
 * @throws MendloopError INVALID_OPTION for options that do not fit or a call without a text; never because of what it says
 * @example
 * ```ts
 * const read = readToolArguments(call, { language: 'python', finish: reply.finish })
 * if (read.status === 'ok') write(read.files)
 * else answer(call.id, read.failure.message)
 * ```
 */
export function readToolArguments(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  options: ReadToolArgumentsOptions,
): ToolArguments {
  const owner = 'readToolArguments()'
  const { language, finish } = parseOptions(optionsSchema, options, owner)
  const written = (call as Partial<ToolCall> | undefined)?.arguments
  if (typeof written !== 'string')
    throw invalidOption(owner, 'call', 'must be a tool call with its arguments as text', {
      expected: 'an object with a name and arguments',
      received: call === null ? 'null' : typeof (written ?? call),
    })
  return argumentsOf(call, { language: languageId(language) ?? language, cut: isCut(finish) })
}

/** True when a reply was stopped before its end. */
const isCut = (finish: ModelReply['finish'] | undefined): boolean =>
  finish === 'length' || finish === 'filter'

/** {@link readToolArguments} with its options resolved. */
export function argumentsOf(
  { name, arguments: written }: Pick<ToolCall, 'name' | 'arguments'>,
  { language, cut }: { language: string; cut: boolean },
): ToolArguments {
  const subject = `The arguments of the call of ${JSON.stringify(String(name).slice(0, 60))}`
  const decoded = decodeArguments(written, cut)
  if (decoded.kind === 'unreadable') {
    if (written.trim() === '' && !cut) return none(subject, language, [])
    return decoded.isCut
      ? incomplete(subject, decoded.problem)
      : unreadable(subject, decoded.problem, 'schema')
  }
  const { warnings } = decoded
  if (decoded.kind === 'text' && cut)
    return incomplete(subject, 'the reply was stopped within them', warnings)
  const found = decoded.kind === 'text' ? freeForm(decoded.text, language) : filesIn(decoded.value)
  if ('problem' in found)
    return unreadable(subject, found.problem, found.isEdit === true ? 'edit' : 'schema', warnings)
  if (found.files.length === 0) return none(subject, language, warnings)
  const clean = found.files.map((file) => cleaned(file, language))
  const all = [...warnings, ...clean.flatMap((one) => one.warnings)]
  const files = lastOfEach(clean.map(({ file }) => file))
  if (files.length < clean.length) all.push('file-written-twice')
  const isOpen = decoded.kind === 'data' && !decoded.closed
  if (isOpen && files.some((file) => parses(file.text, languageIn(file, language)) === false))
    return incomplete(subject, 'they end without a closing bracket, and so does their code', all)
  return { status: 'ok', files, warnings: [...new Set(all)] }
}

/** The text of a tool that takes plain text: a program, or an answer with blocks of code in it. */
function freeForm(text: string, language: string): ArgumentFiles {
  // A string of a program may hold fences.
  const isProgram = language === 'python' && parses(text, language) === true
  const blocks = isProgram ? [] : findBlocks(text, language, { language }, new WorkBudget(text.length))
  const isWhole = isProgram || blocks.some(({ block }) => block.language === language)
  if (!isWhole && extractEdits(text).edits.length > 0) return notWhole('patch')
  if (blocks.length === 0) return { files: [{ text, isCode: false }] }
  return {
    files: blocks.map(({ block, pathFrom }) => ({
      text: block.text,
      isCode: true,
      ...(block.language !== undefined && { language: block.language }),
      ...(block.path !== undefined && pathFrom === 'label' && { path: block.path }),
    })),
  }
}

function cleaned(
  { path: written, language, isCode, text }: ArgumentFile,
  asked: string,
): { file: ToolFile; warnings: readonly string[] } {
  const path = written === undefined ? undefined : safePath(written)
  const code = cleanCode(text, languageIn({ language, path: written }, asked))
  return {
    file: {
      text: code.text,
      isCode,
      ...(path !== undefined && { path }),
      ...(language !== undefined && { language }),
    },
    warnings: [...code.warnings, ...(written !== undefined && path === undefined ? ['path-refused'] : [])],
  }
}

const languageIn = (
  { language, path }: { language?: string | undefined; path?: string | undefined },
  asked: string,
): string => language ?? languageOfPath(path ?? '') ?? asked

function lastOfEach(files: readonly ToolFile[]): readonly ToolFile[] {
  const last = new Map(files.map((file, index) => [file.path ?? `\0${index}`, file]))
  return [...last.values()]
}

type Failed = Exclude<ToolArguments, { status: 'ok' }>

function none(subject: string, language: string, warnings: readonly string[]): Failed {
  const message = `${subject} hold no ${language} program, so nothing was run. Call with the complete program.`
  return { status: 'none', failure: failureOf('no-code', message), warnings }
}

function incomplete(subject: string, problem: string, warnings: readonly string[] = []): Failed {
  const message = `${subject} were cut off: ${problem}. Nothing was run. Send the whole call again, shorter if need be.`
  return { status: 'incomplete', failure: failureOf('truncated-reply', message), warnings }
}

function unreadable(
  subject: string,
  problem: string,
  kind: FailureKind,
  warnings: readonly string[] = [],
): Failed {
  const remedy =
    kind === 'edit'
      ? 'Send the complete text of the file.'
      : 'Send the call again with valid JSON and every file whole.'
  return {
    status: 'unreadable',
    failure: failureOf(kind, `${subject} cannot be used: ${problem}. Nothing was run. ${remedy}`),
    warnings,
  }
}

/** A failure of these words. */
export const failureOf = (kind: FailureKind, message: string): Failure => ({
  kind,
  message,
  fingerprint: fingerprintOf({ kind, message }),
})
