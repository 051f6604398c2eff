// The calls that led to a failure, outermost first, the innermost of them with the lines round it.
import type { Failure, StackFrame } from '../contract/verify.js'
import { excerptOf, sourceLines } from '../language/excerpt.js'
import type { Clean } from './failure-text.js'
import { clipLine, quoteExcerpt } from './quote-text.js'

const OUTER_FRAMES = 3
const INNER_FRAMES = 7
const EXCERPTS = 2
const LINE_CHARS = 200

/**
 * A single call is told by the place already.
 *
 * @param files - the program, for the lines round the innermost calls
 */
export function callsText(
  { frames = [], foldedFrames = 0, excerpt, location }: Failure,
  clean: Clean,
  files: Readonly<Record<string, string>>,
): string {
  const folded = foldedFrames === 0 ? [] : [`  (${counted(foldedFrames, 'call')} in libraries left out)`]
  if (frames.length < 2) return folded.length === 0 ? '' : folded.join('').trim()
  const lines: string[] = []
  const dropped = frames.length - OUTER_FRAMES - INNER_FRAMES
  frames.forEach((frame, index) => {
    if (dropped > 1 && index >= OUTER_FRAMES && index < OUTER_FRAMES + dropped) {
      if (index === OUTER_FRAMES) lines.push(`  … ${dropped} calls left out …`)
      return
    }
    lines.push(`  ${clipLine(clean(frameText(frame, files)), LINE_CHARS)}`)
    // The failing line has been shown, with more lines round it.
    const isShown = excerpt !== undefined && frame.path === location?.path && frame.line === location.line
    if (index >= frames.length - EXCERPTS && !isShown) lines.push(...aroundText(frame, files))
  })
  return ['Calls, outermost first:', ...lines, ...folded].join('\n')
}

function frameText(
  { path, line, function: name, source }: StackFrame,
  files: Readonly<Record<string, string>>,
): string {
  const inside = name === undefined ? '' : `, in ${name}`
  const shown = source ?? textOf(files, path)?.[line - 1]?.trim()
  // Text that the program made and ran has no file, only a name in angle brackets.
  const place = path.startsWith('<') ? `generated code ${path}` : path
  return `${place}, line ${line}${inside}${shown === undefined ? '' : `: ${shown}`}`
}

function aroundText({ path, line }: StackFrame, files: Readonly<Record<string, string>>): string[] {
  const text = Object.hasOwn(files, path) ? files[path] : undefined
  const around = text === undefined ? undefined : excerptOf(text, line, { around: 1 })
  return around === undefined
    ? []
    : quoteExcerpt(around)
        .split('\n')
        .map((one) => `    ${one}`)
}

const textOf = (files: Readonly<Record<string, string>>, path: string): string[] | undefined =>
  Object.hasOwn(files, path) ? sourceLines(files[path] ?? '') : undefined

/** `1 call`, `2 calls`. */
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
