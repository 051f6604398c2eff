// A reply that asks instead of answering: one block between <question> and </question>, options as a list at its end.
import type { ModelReply } from '../contract/model.js'
import { splitReasoning } from './reasoning.js'

/** What a model asks. */
export interface ReplyQuestion {
  /** Its words, without the options. */
  readonly question: string
  /** What it offers to choose from. */
  readonly options?: readonly string[]
  /** The option that it marks as such, or else its first. */
  readonly recommended: string
  /** True when the reply says nothing else. */
  readonly isAlone: boolean
}

/** What is wrong with a question. */
export interface QuestionProblem {
  /** For the model. */
  readonly problem: string
}

/** How a question is asked, for the system message. */
export const QUESTION_FORM: string = [
  'When the task can be read in ways that lead to different programs, and only then, you may ask before you write. Send nothing but one question, with the answers you can think of and the one you would choose:',
  '',
  '<question>',
  'The question, in one or two sentences.',
  '- one answer (recommended)',
  '- another answer',
  '</question>',
].join('\n')

/** Taken for an answer where the model offers none. */
const OWN_CHOICE = 'Decide it yourself, and say in a comment of the program what you assumed.'
const MOST_CHARS = 4000
const MOST_OPTIONS = 12
const OPTION = /^\s*(?:[-*•]|\d{1,2}[.)]|\(?[a-z][.)])\s+(\S.*)$/iu
const RECOMMENDED = /\s*[([]\s*(?:recommended|default)\s*[)\]]\s*/iu

/**
 * The question in a reply.
 *
 * @returns undefined when there is none: no block, one that was cut, or a reply that calls tools or refuses
 */
export function readQuestion({
  text,
  toolCalls,
  refusal,
}: Pick<ModelReply, 'text'> & Partial<Pick<ModelReply, 'toolCalls' | 'refusal'>>):
  | ReplyQuestion
  | QuestionProblem
  | undefined {
  if (refusal !== undefined || (toolCalls ?? []).length > 0) return undefined
  const { answer } = splitReasoning(text)
  const opens = [...answer.matchAll(/<question>/giu)]
  const closes = [...answer.matchAll(/<\/question>/giu)]
  const [open] = opens
  const close = closes.at(-1)
  if (open === undefined || close === undefined || close.index < open.index) return undefined
  const beside = answer.slice(0, open.index) + answer.slice(close.index + close[0].length)
  const isAlone = beside.trim() === ''
  // Words round a question are no harm; a program beside tags of that name is a program.
  if (!isAlone && /^[ \t]*(?:`{3}|~{3}|<{5,})/mu.test(beside)) return undefined
  if (opens.length > 1 || closes.length > 1)
    return { problem: 'Ask one question at a time, between <question> and </question>.' }
  const said = answer.slice(open.index + open[0].length, close.index)
  if (said.length > MOST_CHARS)
    return { problem: `A question may have ${MOST_CHARS} characters; this one has ${said.length}.` }
  return toQuestion(said, isAlone)
}

function toQuestion(said: string, isAlone: boolean): ReplyQuestion | QuestionProblem {
  const lines = said.trimEnd().split(/\r?\n/u)
  let first = lines.length
  while (first > 0 && (OPTION.test(lines[first - 1] ?? '') || lines[first - 1]?.trim() === '')) first--
  const listed = lines.slice(first).flatMap((line) => OPTION.exec(line)?.[1]?.trim() ?? [])
  const question = lines.slice(0, first).join('\n').trim()
  if (question === '') return { problem: 'The question has no words: say what you want to know.' }
  const marked = listed.find((option) => RECOMMENDED.test(option))
  const options = listed.slice(0, MOST_OPTIONS).map(unmarked)
  const recommended = unmarked(marked ?? listed[0] ?? OWN_CHOICE)
  return { question, ...(options.length > 0 && { options }), recommended, isAlone }
}

/** Without the mark; an option that is nothing but the mark stays as it is. */
const unmarked = (option: string): string => option.replace(RECOMMENDED, ' ').trim() || option
