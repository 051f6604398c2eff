// An exception as plain data: frames of the code as written, none of ours, and the text that Node would print.
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { kept } from './node_lending.mjs'

const MOST_FRAMES = 40
const MOST_TEXT = 64 * 1024
const MOST_CAUSES = 8
/** Characters of a text within a value that are shown: tried one after the other. */
const STRING_LENGTHS = [100, 4000, MOST_TEXT]
// Below the first of these stands how a cell is run, which is nobody's business.
const OURS = /node:inspector|mendloop:node_|\[eval\]:|node:internal\/process\/task_queues/
const LOADER = /node:internal\/(?:modules|vm\/module|process\/execution)|\[eval\]:/
/** Stacks of errors that imports ended with, as they were: an import that is tried again ends with the same error. */
const stacks = new WeakMap()

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
  if (depth === 0) {
    told.traceback = clip(`${tracebackOf(error, sources)}\n`, MOST_TEXT)
    told.outOfMemory = isError && /^Array buffer allocation failed/.test(told.message)
  }
  const cause = isError ? error.cause : undefined
  if (cause instanceof Error && depth < MOST_CAUSES) told.cause = describe(cause, sources, depth + 1)
  return told
}

/** Makes every stack, printed by whomever, one of the code as written: what runs the cells is not in it. */
export function hideOurFrames(sources) {
  const stackOf = (error, sites) => {
    const lines = sites.map((site) => {
      const url = String(site.getScriptNameOrSourceURL())
      return `\n    at ${String(site).replace(url, () => sources.get(url)?.file ?? pathOf(url))}`
    })
    return `${headOf(error)}${withoutOurs(lines.join(''))}`
  }
  Error.prepareStackTrace = (error, sites) => kept(() => stackOf(error, sites))
}

/** A module by its path, without what makes Node read it again. */
function pathOf(url) {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : url
  } catch {
    return url
  }
}

/** As Node begins it; its own errors have their code there. */
function headOf(error) {
  try {
    const symbols = Object.getOwnPropertySymbols(error).map(String)
    if (symbols.includes('Symbol(kIsNodeError)')) return `${error.name} [${error.code}]: ${error.message}`
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}

/** What an import gives; when it fails, its stack says where in the cell it stands, instead of how Node loads. */
export async function placed(load) {
  const here = {}
  Error.captureStackTrace(here)
  try {
    return await load()
  } catch (error) {
    if (error instanceof Error && typeof error.stack === 'string') {
      const stack = stacks.get(error) ?? error.stack
      stacks.set(error, stack)
      const lines = stack.split('\n').filter((line) => !/^\s+at /.test(line) || !LOADER.test(line))
      error.stack = [...lines, ...here.stack.split('\n').slice(1)].join('\n')
    }
    throw error
  }
}

/** An error that nobody waits for is told on standard error; the session goes on. */
export function noteUncaught(error, sources) {
  process.stderr.write(`Uncaught ${clip(tracebackOf(error, sources), MOST_TEXT)}\n`)
}

function tracebackOf(error, sources) {
  const place = error?.cellPlace
  const at = place && sources.get(place.url)
  // Nothing has run: there is no stack.
  if (at !== undefined)
    return `${at.file}:${place.line}\n${at.lines[place.line - 1] ?? ''}\n\n${headOf(error)}`
  return named(printed(error), sources)
}

/** As Node prints it, cause by cause, but each stack without what is ours. */
function printed(error, depth = 0) {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return shown(error)
  const { cause, stack, ...rest } = error
  const extra = Object.keys(rest).length > 0 ? ` ${shown(rest)}` : ''
  const below = [
    ...(cause === undefined ? [] : [['cause', cause]]),
    ...(Array.isArray(error.errors) ? error.errors : []).slice(0, MOST_CAUSES).map((one) => ['error', one]),
  ]
  const told = depth < MOST_CAUSES ? below : []
  const lower = told.map(([what, one]) => `\n[${what}]: ${printed(one, depth + 1)}`).join('')
  return `${withoutOurs(stack)}${extra}${lower}`
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
  for (const { url, file } of sources.values())
    if (url !== file) result = result.replaceAll(`${url}:`, `${file}:`)
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

/** As Node shows it. Of texts in it as much as leaves the whole short: a list of long ones has no room in memory. */
export function shown(value) {
  try {
    let text = ''
    for (const maxStringLength of STRING_LENGTHS) {
      text = inspect(value, { maxStringLength })
      if (text.length > MOST_TEXT || !text.includes(' more character')) break
    }
    return text
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
