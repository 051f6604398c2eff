// Splits thoughts from the answer. What was thought is never run, however much it looks like code.
import { STOP_MARKER } from './stop-markers.js'

/** A reply in two parts. */
export interface SplitReply {
  /** What the model says; line ends LF. */
  readonly answer: string
  /** What it thought, sections joined by a blank line. */
  readonly reasoning: string
  /** True when a section was still open at the end. */
  readonly open: boolean
}

interface Marker {
  readonly open: string
  readonly close: string
  /** Loose names are also used as ordinary words: an opening one without its end is text. */
  readonly loose: boolean
}

const pair = (open: string, close: string): Marker => ({ open, close, loose: false })
const element = (name: string, loose: boolean): Marker => ({ open: `<${name}>`, close: `</${name}>`, loose })

const MARKERS: readonly Marker[] = [
  ...['think', 'thinking', 'reasoning', 'seed:think'].map((name) => element(name, false)),
  ...['thought', 'thoughts', 'reflection', 'scratchpad', 'analysis'].map((name) => element(name, true)),
  pair('[think]', '[/think]'),
  pair('◁think▷', '◁/think▷'),
  pair('<|begin_of_thought|>', '<|end_of_thought|>'),
  { open: '<|channel|>analysis<|message|>', close: '<|end|>', loose: true },
]
const LONGEST_OPEN = Math.max(...MARKERS.map(({ open }) => open.length))
// A stop marker is no info string.
const FENCE = new RegExp(`^ {0,3}(\`{3,}(?=[^\`]*$)|~{3,})[ \\t]*(?:${STOP_MARKER}[ \\t]*$)?(.*)$`)

/** Splits `text`, whose line ends are LF. Tags inside a fence are program text. */
export function splitReasoning(text: string): SplitReply {
  const lines = text.split('\n')
  const fenceAfter = nextFences(lines)
  const thoughts: string[] = []
  const answer: string[] = []
  const hopeless = new Set<Marker>()
  const fences = new FenceTracker()
  let answerStart = 0
  let open = false
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const marker = fences.inside ? undefined : markerAtStart(line)
    if (marker !== undefined && !hopeless.has(marker)) {
      const end = endOfSection(lines, index, marker)
      if (end === undefined && marker.loose) hopeless.add(marker)
      else {
        const last = end?.line ?? lines.length - 1
        thoughts.push(sectionText(lines, index, last, marker, end?.from))
        open ||= end === undefined
        for (let gone = index; gone < last; gone++) answer.push('')
        // What follows the closing tag on its line may be a fence or another section: it is read as a line of its own.
        lines[last] = end === undefined ? '' : (lines[last] ?? '').slice(end.from + marker.close.length)
        index = last - 1
        continue
      }
    }
    const closing = closingOnly(line, fences.inside, fenceAfter[index] ?? false)
    if (closing !== undefined) {
      thoughts.push([...answer.slice(answerStart), line.slice(0, closing.from)].join('\n').trim())
      answer.fill('', answerStart)
      answerStart = answer.length
      fences.reset()
      lines[index] = line.slice(closing.to)
      index -= 1
      continue
    }
    fences.read(line)
    answer.push(line)
  }
  return { answer: answer.join('\n'), reasoning: thoughts.filter((part) => part !== '').join('\n\n'), open }
}

function markerAtStart(line: string): Marker | undefined {
  const start = line.trimStart().slice(0, LONGEST_OPEN).toLowerCase()
  return MARKERS.find(({ open }) => start.startsWith(open))
}

/** Where a section ends: the first closing tag outside a fence, else the first that has a line to itself. */
function endOfSection(
  lines: readonly string[],
  start: number,
  { open, close }: Marker,
): { line: number; from: number } | undefined {
  const fences = new FenceTracker()
  let alone: { line: number; from: number } | undefined
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const from = indexOfTag(
      line,
      close,
      index === start ? line.length - line.trimStart().length + open.length : 0,
    )
    if (from !== -1) {
      if (!fences.inside) return { line: index, from }
      if (line.trim().length === close.length) alone ??= { line: index, from }
    }
    if (index > start) fences.read(line)
  }
  return alone
}

function sectionText(
  lines: readonly string[],
  first: number,
  last: number,
  { open }: Marker,
  end?: number,
): string {
  const section = lines.slice(first, last + 1)
  if (end !== undefined) section[section.length - 1] = (section.at(-1) ?? '').slice(0, end)
  section[0] = (section[0] ?? '').trimStart().slice(open.length)
  return section.join('\n').trim()
}

/** A closing tag whose opening one was in the prompt: everything before it was thought. */
function closingOnly(
  line: string,
  inside: boolean,
  fenceFollows: boolean,
): { from: number; to: number } | undefined {
  const trimmed = line.trim()
  for (const { close, loose } of MARKERS) {
    if (loose || trimmed.length < close.length) continue
    const starts = trimmed.slice(0, close.length).toLowerCase() === close
    const ends = trimmed.slice(-close.length).toLowerCase() === close
    // In a draft whose fence was never closed, the tag stands alone and an opening fence comes before a closing one.
    const found = inside ? starts && trimmed.length === close.length && fenceFollows : starts || ends
    if (!found) continue
    const from = ends ? line.trimEnd().length - close.length : line.length - line.trimStart().length
    return { from, to: from + close.length }
  }
  return undefined
}

/** Position of a tag, whatever its case. */
function indexOfTag(line: string, tag: string, from: number): number {
  const pattern = new RegExp(tag.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu')
  pattern.lastIndex = from
  return pattern.exec(line)?.index ?? -1
}

/** For each line, whether the next fence line after it opens a tagged block. */
function nextFences(lines: readonly string[]): boolean[] {
  const opens = new Array<boolean>(lines.length).fill(false)
  let next = false
  for (let index = lines.length - 1; index >= 0; index--) {
    opens[index] = next
    const fence = FENCE.exec(lines[index] ?? '')
    if (fence !== null) next = fence[2] !== ''
  }
  return opens
}

/** Knows whether a line is inside a fence, by the plain rules. */
class FenceTracker {
  #open: string | undefined

  get inside(): boolean {
    return this.#open !== undefined
  }

  reset(): void {
    this.#open = undefined
  }

  read(line: string): void {
    const fence = FENCE.exec(line)
    if (fence === null) return
    const run = fence[1] ?? ''
    if (this.#open === undefined) this.#open = run
    else if (fence[2] === '' && run.startsWith(this.#open)) this.#open = undefined
  }
}
