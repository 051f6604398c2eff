// The tool calls of one reply → one program, by the rules that hold for blocks of code.
import { languageOfPath } from '../../contract/language-names.js'
import type { Failure } from '../../contract/verify.js'
import { knownLanguage } from '../../language/languages.js'
import { looksLike } from '../../language/looks-like.js'
import { type Assembled, assemble } from '../assemble.js'
import type { FoundBlock } from '../blocks.js'
import type { CodeBlock } from '../extraction.js'
import { type Judged, judge } from '../judge.js'
import type { NoCandidate } from '../no-candidate.js'
import { fitsLanguage } from '../path-label.js'
import { type ExtractContext, selectBlocks } from '../select.js'
import { argumentsOf, failureOf, type ToolFile } from './read-tool-arguments.js'

/** What the calls of a reply come to. */
export interface CalledProgram {
  readonly blocks: readonly CodeBlock[]
  readonly result: Assembled | NoCandidate
  /** A sentence for the model when a file of the calls was left out. */
  readonly notice?: string
}

/**
 * The program in `calls`; undefined when none of them holds one, so that the text of the reply counts. A call that cannot
 * be read ends it: what it held may have been a part.
 *
 * @param hasBlocks - the text holds blocks; where it holds none, calls about something else are what there is to tell of
 */
export function programInCalls(
  calls: unknown,
  context: ExtractContext,
  hasBlocks: boolean,
): CalledProgram | undefined {
  const { language, cut, options } = context
  if (!Array.isArray(calls)) return undefined
  const read = filesOfCalls(calls, context)
  if ('result' in read) return read
  const judged = read.blocks
    .map((one) => judge(one, language, options.entryPoint))
    // Words without a path are no file; nor is code in another language where nothing says that it is the program.
    .filter(({ is, block }) =>
      read.mayBeWords.has(block)
        ? is === language
        : block.path !== undefined || (is !== 'prose' && is !== 'text'),
    )
  if (judged.every(({ is }) => is === 'empty'))
    return read.none === undefined || hasBlocks || cut ? undefined : refused('none', read.none)
  const selection = selectBlocks(judged, context)
  const result = 'reason' in selection ? selection : assemble(selection, context)
  const all = { blocks: judged.map(({ block }) => block) }
  if ('reason' in result) return { ...all, result: inWordsOfCalls(result, judged, language) }
  const odd = [...new Set(read.warnings), ...(cut ? ['reply-cut'] : [])]
  return {
    ...all,
    ...noticeOf(result.used, judged, language),
    result: {
      ...result,
      files: withEmptyFiles(result.files, judged),
      warnings: [...odd, ...result.warnings],
    },
  }
}

interface CalledFiles {
  readonly blocks: readonly FoundBlock[]
  /** Blocks of texts that may be words for a person. */
  readonly mayBeWords: ReadonlySet<CodeBlock>
  readonly warnings: readonly string[]
  /** What there is to say of a call that is about something else. */
  readonly none?: Failure
}

/** The files of every call, the last of each path; or the refusal of a call that cannot be read. */
function filesOfCalls(
  calls: readonly unknown[],
  { language, cut }: ExtractContext,
): CalledFiles | CalledProgram {
  const warnings: string[] = []
  const found = new Map<string, FoundBlock>()
  const mayBeWords = new Set<CodeBlock>()
  let none: Failure | undefined
  for (const [index, call] of calls.entries()) {
    const { name, arguments: written } = partsOf(call)
    const read = argumentsOf({ name, arguments: written }, { language, cut })
    if (read.status === 'none') none ??= read.failure
    if (read.status === 'none') continue
    if (read.status !== 'ok') return refused(read.status, read.failure)
    warnings.push(...read.warnings)
    for (const file of read.files) {
      const block = blockOf(file, { language, tool: name, number: index + 1 })
      const key = block.block.path ?? `\0${found.size}`
      if (found.has(key)) warnings.push('file-written-twice')
      // The later call comes later among the files too.
      found.delete(key)
      found.set(key, block)
      if (!file.isCode) mayBeWords.add(block.block)
    }
  }
  return { blocks: [...found.values()], mayBeWords, warnings, ...(none !== undefined && { none }) }
}

/** What a call consists of; an adapter may have decoded the arguments already. */
function partsOf(call: unknown): { name: string; arguments: string } {
  const { name, arguments: written } = (typeof call === 'object' && call !== null ? call : {}) as {
    name?: unknown
    arguments?: unknown
  }
  return {
    name: typeof name === 'string' ? name : '',
    arguments: typeof written === 'string' ? written : asJson(written),
  }
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** A file as a block. */
function blockOf(
  { text, path, language: named, isCode }: ToolFile,
  { language: asked, tool, number }: { language: string; tool: string; number: number },
): FoundBlock {
  const byTool = knownLanguage(tool)?.id
  // One word alone may be a currency, a country, the name of anything.
  const assumed =
    isCode && looksLike(text) === undefined && !/^\s*[\w.+-]*\s*$/.test(text) ? asked : undefined
  const language = named ?? (path === undefined ? (byTool ?? assumed) : languageOfPath(path))
  const fits = path !== undefined && fitsLanguage(path, language)
  return {
    block: {
      ...(language !== undefined && { language }),
      tag: named ?? '',
      text,
      closed: true,
      line: number,
      ...(fits && { path }),
    },
    warnings: [],
    intro: '',
    ...(fits && { pathFrom: 'label' }),
  }
}

function refused(status: 'none' | 'incomplete' | 'unreadable', failure: Failure): CalledProgram {
  const result: NoCandidate =
    status === 'incomplete'
      ? { status, reason: 'reply-cut', failure }
      : { status: 'none', reason: status === 'none' ? 'no-block' : 'unreadable-arguments', failure }
  return { blocks: [], result }
}

/** The same refusal without talk of blocks and fences, of which there are none. */
function inWordsOfCalls(refusal: NoCandidate, judged: readonly Judged[], language: string): NoCandidate {
  if (refusal.reason === 'omission-placeholder') return refusal
  const others = [...new Set(judged.map(({ is }) => is).filter((is) => is !== 'empty'))]
  const message =
    refusal.reason === 'wrong-language'
      ? `Asked for ${language}, but the code in the tool call is ${others.join(', ')}; nothing was run.`
      : `The tool call holds no ${language} program, so nothing was run.`
  const remedy = `Call again with the complete program in ${language}.`
  return { ...refusal, failure: failureOf(refusal.failure.kind, `${message} ${remedy}`) }
}

/** An empty file that was asked for by its path, such as `__init__.py`, is a file. */
function withEmptyFiles(
  files: Readonly<Record<string, string>>,
  judged: readonly Judged[],
): Readonly<Record<string, string>> {
  const empty = judged.flatMap(({ is, block: { path } }) =>
    is === 'empty' && path !== undefined && !Object.hasOwn(files, path) ? [[path, '']] : [],
  )
  return { ...files, ...Object.fromEntries(empty) }
}

function noticeOf(used: readonly Judged[], judged: readonly Judged[], language: string): { notice?: string } {
  const run = new Set(used.map(({ block }) => block))
  const left = judged.filter(
    ({ is, block }) => !run.has(block) && (is === language || knownLanguage(is) !== undefined),
  )
  if (left.length === 0) return {}
  const names = left.slice(0, 10).map(({ block, is }) => block.path ?? `${is} code of call ${block.line}`)
  return { notice: `Of the tool calls, this was not run: ${names.join(', ')}.` }
}
