// An exception as plain data: frames of the code as written, none of ours, and the text that Node would print.
import { inspect } from 'node:util'

const MOST_FRAMES = 40
const MOST_TEXT = 64 * 1024
const MOST_CAUSES = 8
// Below the first of these stands how a cell is run, which is nobody's business.
const OURS = /node:inspector|data:text\/javascript|node:internal\/process\/task_queues/

/** What `process.exit()` throws in a cell: it ends the cell, and not the session. */
export class CellExit extends Error {
  constructor(code) {
    super(`the cell ended with exit code ${code}`)
    this.code = code
  }
}

/** One exception, with what caused it. */
export function describe(error, sources, depth = 0) {
  const isError = error instanceof Error
  const told = {
    name: isError ? clip(String(error.name), 1000) : 'Uncaught',
    message: clip(isError ? String(error.message) : shown(error), 16 * 1024),
    frames: isError ? framesOf(error, sources) : [],
  }
  if (depth === 0) told.traceback = clip(`${tracebackOf(error, sources)}\n`, MOST_TEXT)
  const cause = isError ? error.cause : undefined
  if (cause instanceof Error && depth < MOST_CAUSES) told.cause = describe(cause, sources, depth + 1)
  return told
}

/** An error that nobody waits for is told on standard error; the session goes on. */
export function noteUncaught(error, sources) {
  process.stderr.write(`Uncaught ${clip(tracebackOf(error, sources), MOST_TEXT)}\n`)
}

function tracebackOf(error, sources) {
  const place = error?.cellPlace
  const at = place && sources.get(place.url)
  const where = at === undefined ? '' : `${at.file}:${place.line}\n${at.lines[place.line - 1] ?? ''}\n\n`
  return `${where}${named(printed(error), sources)}`
}

/** As Node prints it, cause by cause, but each stack without what is ours. */
function printed(error, depth = 0) {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return shown(error)
  const { cause, ...rest } = error
  const extra = Object.keys(rest).length > 0 ? ` ${shown(rest)}` : ''
  const below = cause !== undefined && depth < MOST_CAUSES ? `\n[cause]: ${printed(cause, depth + 1)}` : ''
  return `${withoutOurs(error.stack)}${extra}${below}`
}

/** Frames of ours on top, as of `host.call`, and from where it is ours again all that is below. */
function withoutOurs(text) {
  let hasTheirs = false
  let isBelow = false
  return text
    .split('\n')
    .filter((line) => {
      if (!/^\s+at /.test(line)) return true
      const isOurs = OURS.test(line)
      isBelow ||= isOurs && hasTheirs
      // Functions of the language itself may be called by either.
      hasTheirs ||= !isOurs && !line.endsWith('(<anonymous>)')
      return !isOurs && !isBelow
    })
    .join('\n')
}

/** Cells by the name that people know. */
function named(text, sources) {
  let result = text
  for (const [url, { file }] of sources) if (url !== file) result = result.replaceAll(`${url}:`, `${file}:`)
  return result
}

function framesOf(error, sources) {
  const lines = withoutOurs(String(error.stack)).split('\n')
  const frames = []
  for (const line of lines) {
    const found = /^\s+at (?:(?:async )?(.+?) \()?(?:async )?(.+?):(\d+):\d+\)?$/.exec(line)
    if (found === null) continue
    const [, name = '', url, number] = found
    const source = sources.get(url)
    frames.push({
      path: clip(source?.file ?? url, 1000),
      line: Number(number),
      function: name === '' && source !== undefined ? '<module>' : clip(name, 1000),
      source: clip(source?.lines[Number(number) - 1]?.trim() ?? '', 500),
    })
  }
  if (error.cellPlace !== undefined) {
    const { url, line } = error.cellPlace
    const { file, lines: written } = sources.get(url)
    return [{ path: file, line, function: '', source: clip(written[line - 1]?.trim() ?? '', 500) }]
  }
  // Node prints the innermost first.
  return frames.slice(0, MOST_FRAMES).reverse()
}

function shown(value) {
  try {
    return inspect(value)
  } catch {
    return '<cannot be shown>'
  }
}

/** The head and the tail of a text that is too long. */
export function clip(text, most) {
  if (text.length <= most) return text
  const half = most >> 1
  return `${text.slice(0, half)}\n… ${text.length - most} characters left out …\n${text.slice(-half)}`
}
