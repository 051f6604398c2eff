// Where a text may say that code was left out: its comments, and strings that stand for themselves.
import { lexPython } from '../language/python-lexer.js'

/** A comment, or what serves as one. */
export interface Remark {
  /** As it is written. */
  readonly text: string
  /** Without what makes it a comment. */
  readonly words: string
  /** 0-based line; -1 when it stands behind code. */
  readonly line: number
  /** True when nothing makes it a comment: dots where a statement stands. */
  readonly isBare?: boolean
}

const LONGEST = 300
const COMMENT = /^\{?\s*(?:#+|\/\/+|\/\*+|\*|<!--|--|;+|%+|')\s*(.*?)\s*(?:\*+\/|-->)?\s*\}?$/
const FOREIGN = /^(?:\/\/|\/\*|<!--|--\s|;+\s)/
const STRING = /^("""|'''|"|')\s*((?:\.{2,}|…).*?)\s*\1$/
/** A statement that does nothing: what stands behind it speaks for the body. */
const IDLE = /^(?:.*:\s*)?(?:pass|\.\.\.)\s*#\s*(.*)$/
const DOTS_LINE = /^([ \t]*)(\.\.\.|…)[ \t]*$/m
/** Languages whose lines are text, apart from one kind of comment. */
const MARKUP = new Set(['markdown', 'text', 'html', 'xml', 'csv'])

/** The remarks of `text`, in order. */
export function remarksOf(text: string, language: string): readonly Remark[] {
  const lines = text.split('\n').map((line) => line.trim())
  const remarks = language === 'python' ? pythonRemarks(text, lines) : plainRemarks(lines, language)
  return [...remarks, ...bareDots(text, language)].filter(({ text: { length } }) => length <= LONGEST)
}

/** Dots for code without a comment around them: a statement of their own where no body is left to be written. */
function bareDots(text: string, language: string): Remark[] {
  if (MARKUP.has(language)) return []
  const { fault, masked } = language === 'python' ? lexPython(text) : { fault: undefined, masked: text }
  const code = fault === undefined ? masked : text
  if (!DOTS_LINE.test(code)) return []
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const [, indent = '', dots] = DOTS_LINE.exec(line) ?? []
    if (dots === undefined) return []
    const before = lines.slice(0, index).findLast((one) => one.trim() !== '') ?? ''
    // The dots below `def f():`, or below its docstring, are its body.
    const isStatement = indent === '' || (/^[ \t]*/.exec(before)?.[0].length ?? 0) > indent.length
    return isStatement ? [{ text: dots, words: dots, line: index, isBare: true }] : []
  })
}

function plainRemarks(lines: readonly string[], language: string): Remark[] {
  return lines.flatMap((text, line) => {
    if (MARKUP.has(language) && !text.startsWith('<!--')) return []
    const words = COMMENT.exec(text.slice(0, LONGEST + 1))?.[1]
    if (words !== undefined) return [{ text, words, line }]
    const behind = /\s(?:\/\/|#|--)\s(.*)$/.exec(text.slice(0, LONGEST + 1))?.[1]
    return behind === undefined ? [] : [{ text, words: behind, line: -1 }]
  })
}

/** Of Python only real comments, since a string may hold such a line. */
function pythonRemarks(text: string, lines: readonly string[]): Remark[] {
  const { fault, comments, masked } = lexPython(text)
  if (fault !== undefined) return plainRemarks(lines, 'python')
  const real = new Set(comments.map((comment) => comment.trim()))
  const remarks: Remark[] = []
  lines.forEach((line, index) => {
    const isOwn = real.delete(line) || (FOREIGN.test(line) && masked.includes(line))
    const words = isOwn
      ? COMMENT.exec(line.slice(0, LONGEST + 1))?.[1]
      : (STRING.exec(line)?.[2] ?? IDLE.exec(line)?.[1])
    if (words !== undefined) remarks.push({ text: line, words, line: index })
  })
  for (const comment of real) remarks.push({ text: comment, words: comment.replace(/^#+\s*/, ''), line: -1 })
  return remarks
}
