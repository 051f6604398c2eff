// Placeholders for code that the model left out. Written to a file they would delete that code.
import { functionAround, losesCode, pythonBodies } from './code-loss.js'
import { isDots, isMark, omissionSign } from './omission-words.js'
import { type Remark, remarksOf } from './placeholders.js'

/** What is known besides the text. */
export interface OmissionEvidence {
  /** The file as it was. Without it only plain words count. */
  readonly before?: string | undefined
  /** A text whose remarks leave nothing out, since they have always been there. Default: `before`. */
  readonly noted?: string | undefined
  /** The reply's other files, to which code may have moved. */
  readonly elsewhere?: string
}

/**
 * The first remark of `text` that stands for left-out code, or undefined.
 *
 * Plain words such as "rest of the code unchanged" are enough. Weak ones, such as `# ...` or `# as before`, count only
 * when names that the file defined are gone, or the function around them has become shorter; a body of `...` counts
 * where there was a real one.
 */
export function findOmission(
  text: string,
  language: string,
  { before, noted = before, elsewhere = '' }: OmissionEvidence = {},
): string | undefined {
  const old = new Set(noted === undefined ? [] : remarksOf(noted, language).map((remark) => remark.text))
  const lines = text.split('\n')
  const suspects = remarksOf(text, language).flatMap((remark) => {
    const sign = old.has(remark.text) ? 'none' : omissionSign(remark.words)
    return sign === 'none' ? [] : [{ ...remark, sign }]
  })
  const strong = suspects.find(
    (one) => one.sign === 'strong' || (before === undefined && standsForDefinitions(one, lines)),
  )
  if (strong !== undefined || before === undefined) return strong?.text
  const weak = suspects.filter(({ line }) => line !== -1)
  if (weak.length > 0 && losesCode(before, text, language, elsewhere)) return weak[0]?.text
  return language === 'python' ? lostBody(text, before, weak) : undefined
}

const NEXT_DEFINITION =
  /^\s*(?:@|(?:export|public|private|static|async|def|class|function|const|let|fn|func|type|interface)\b|[}\])]|<)/

/** Dots that stand alone where a definition would. */
function standsForDefinitions({ words, line, isBare }: Remark, lines: readonly string[]): boolean {
  if (line === -1 || isBare === true || !isDots(words)) return false
  const isRemark = (other: string | undefined): boolean => /^\s*(?:#|\/\/|\/\*|\*|--|;)/.test(other ?? '')
  if (isRemark(lines[line - 1]) || isRemark(lines[line + 1])) return false
  const next = lines.slice(line + 1).find((other) => other.trim() !== '')
  return next === undefined || NEXT_DEFINITION.test(next)
}

/** A function that had a body and has none now, or a shorter one with a mark in it. */
function lostBody(text: string, before: string, weak: readonly Remark[]): string | undefined {
  const now = pythonBodies(text)
  const old = pythonBodies(before)
  const lines = text.split('\n')
  for (const { line, words, text: written } of weak) {
    const name = isMark(words) ? functionAround(lines, line) : undefined
    const body = now.get(name ?? '')
    const was = old.get(name ?? '')
    if (body !== undefined && was !== undefined && body.lines < was.lines) return written
    if (body?.isStub === true && was?.isStub === false) return written
  }
  for (const [name, body] of now)
    if (body.isStub && body.hasDots && !body.isDeclared && old.get(name)?.isStub === false)
      return `def ${name}(): ...`
  return undefined
}
