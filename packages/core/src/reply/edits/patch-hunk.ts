// One hunk of a unified diff, read by its counts when they are right and by the marks of its lines when they are not.
import type { EditHunk, EditLine } from './edit.js'
import { isFileHead, isPatchHead } from './marker-lines.js'

/** A hunk and where it ends. */
export interface HunkFound {
  readonly hunk: EditHunk
  /** Index behind its last line. */
  readonly end: number
  /** Its header's counts are wrong. */
  readonly isRecounted: boolean
}

interface Header {
  readonly startLine?: number
  readonly anchor?: string
  readonly counts?: { readonly old: number; readonly now: number }
}

const NUMBERS = /^@@+[ \t]*-(\d{1,9})(?:,(\d{1,9}))?[ \t]+\+\d{1,9}(?:,(\d{1,9}))?[ \t]*@*(.*)$/
const NO_NEWLINE = /^\\ /

/** True for a line that begins a hunk. */
export const isHunkHead = (line: string | undefined): boolean => line?.startsWith('@@') ?? false

/**
 * Reads a hunk.
 *
 * @param at - index of its header, or of its first line when it has none
 * @param end - index behind the last line that may belong to it
 * @param isFenced - within a fence a line without a mark is one whose mark was forgotten; outside it ends the hunk
 */
export function readHunk(lines: readonly string[], at: number, end: number, isFenced: boolean): HunkFound {
  const head = lines[at] ?? ''
  const hasHead = isHunkHead(head)
  const header = hasHead ? headerOf(head) : {}
  const first = hasHead ? at + 1 : at
  const counted =
    header.counts === undefined ? undefined : byCounts(lines, first, end, header.counts, isFenced)
  const body = counted ?? byMarks(lines, first, end, isFenced)
  const { startLine, anchor } = header
  return {
    hunk: {
      line: at + 1,
      readings: [body.lines],
      ...(startLine !== undefined && startLine > 0 && { startLine }),
      ...(anchor !== undefined && { anchor }),
      ...(body.oldNoNewline && { oldNoNewline: true }),
      ...(body.newNoNewline && { newNoNewline: true }),
    },
    end: body.end,
    isRecounted: header.counts !== undefined && counted === undefined,
  }
}

function headerOf(head: string): Header {
  const numbers = NUMBERS.exec(head.slice(0, 500))
  const rest = (numbers?.[4] ?? head.slice(0, 500)).replace(/^@+[ \t]*|[ \t]*@+[ \t]*$/g, '').trim()
  // `@@ -12 @@` and `@@ ... @@` say nothing.
  const anchor = /^[\s.…\d,+-]*$/.test(rest) ? {} : { anchor: rest }
  if (numbers === null) return anchor
  const count = (text: string | undefined): number => (text === undefined ? 1 : Number(text))
  const old = count(numbers[2])
  // A hunk without old lines names the line it comes behind.
  const startLine = Number(numbers[1]) + (old === 0 ? 1 : 0)
  return { ...anchor, startLine, counts: { old, now: count(numbers[3]) } }
}

interface Body {
  readonly lines: EditLine[]
  oldNoNewline: boolean
  newNoNewline: boolean
  end: number
}

const emptyBody = (at: number): Body => ({ lines: [], oldNoNewline: false, newNoNewline: false, end: at })

/** The body as its header counts it; undefined when the counts do not lead to the end of a hunk. */
function byCounts(
  lines: readonly string[],
  at: number,
  end: number,
  { old, now }: { readonly old: number; readonly now: number },
  isFenced: boolean,
): Body | undefined {
  const body = emptyBody(at)
  let [oldLeft, newLeft] = [old, now]
  let index = at
  for (; index < end && (oldLeft > 0 || newLeft > 0 || NO_NEWLINE.test(lines[index] ?? '')); index++) {
    const line = lines[index] ?? ''
    const taken = take(body, line)
    if (taken === undefined) return undefined
    if (taken === ' ' || taken === '-') oldLeft -= 1
    if (taken === ' ' || taken === '+') newLeft -= 1
  }
  body.end = index
  return oldLeft === 0 && newLeft === 0 && isBoundary(lines, index, end, isFenced) ? body : undefined
}

/** Adds a line to the body; undefined for one that is none of a diff. */
function take(body: Body, line: string): EditLine['mark'] | 'note' | undefined {
  const mark = line.charAt(0)
  if (NO_NEWLINE.test(line)) {
    const last = body.lines.at(-1)?.mark
    if (last !== '+') body.oldNoNewline = true
    if (last !== '-') body.newNoNewline = true
    return 'note'
  }
  if (mark === ' ' || mark === '-' || mark === '+') {
    body.lines.push({ mark, text: line.slice(1) })
    return mark
  }
  if (line !== '') return undefined
  // The space before an empty line is the first to be lost.
  body.lines.push({ mark: ' ', text: '' })
  return ' '
}

/** What may stand behind a hunk. */
function isBoundary(lines: readonly string[], at: number, end: number, isFenced: boolean): boolean {
  if (at >= end) return true
  const line = lines[at] ?? ''
  return line.trim() === ''
    ? !isMarked(lines[at + 1]) || (!isFenced && isOfProse(lines[at + 1]))
    : isHunkHead(line) || isPatchHead(lines, at) || !isMarked(line)
}

/** An item of a list or a rule: outside of fences the text goes on with these behind a patch. */
const isOfProse = (line: string | undefined): boolean => /^(?:[-+] \S|-{2,} ?$)/.test(line ?? '')

/** The two lines that git puts below a patch in a mail. */
const isSignature = (lines: readonly string[], at: number): boolean =>
  /^-- ?$/.test(lines[at] ?? '') && /^\d+\.\d+/.test(lines[at + 1] ?? '')

const isMarked = (line: string | undefined): boolean => line !== undefined && /^[-+ \\]/.test(line)

/** The body as its lines are marked, up to the next header. */
function byMarks(lines: readonly string[], at: number, end: number, isFenced: boolean): Body {
  const body = emptyBody(at)
  let index = at
  for (; index < end; index++) {
    const line = lines[index] ?? ''
    if (isHunkHead(line) || isPatchHead(lines, index) || isFileHead(lines, index)) break
    if (isSignature(lines, index) || /^\*\*\* (?:Update|Add|Delete|Move|End)\b/.test(line)) break
    if (take(body, line) !== undefined) continue
    if (!isFenced) break
    body.lines.push({ mark: ' ', text: line })
  }
  body.end = index
  while (body.lines.at(-1)?.mark === ' ' && body.lines.at(-1)?.text === '' && lines[index - 1] === '') {
    body.lines.pop()
    index -= 1
  }
  return body
}
