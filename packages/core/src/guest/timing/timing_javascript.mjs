// Times one alternative in a process of its own. Reads what to do as JSON from standard input, prints JSON behind a word.
// Setup and code stand in one function; code that is one expression has a result. What it prints goes nowhere.
import { createHash } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import { Script } from 'node:vm'

const MOST_CHARACTERS = 2000
const MOST_ITERATIONS = 2 ** 24

// Held before any code runs: what it puts in the place of these is for its own use.
const now = performance.now.bind(performance)
const { parse, stringify } = JSON
const exit = process.exit.bind(process)
const toBytes = Buffer.from.bind(Buffer)

/** Lines that `new Function` puts before its body. */
const LINES_BEFORE = 2

/** A function of how often, that gives seconds and the last result. */
function timedFunction(setup, code) {
  refuseIfWrong(setup, '<setup>')
  const isExpression = parses(`(${code}\n)`)
  if (!isExpression) refuseIfWrong(code, '<alternative>')
  // The result is kept, so that the compiler cannot leave the work out.
  const body = isExpression ? `$result = (${code}\n)` : code
  const source = `"use strict"; let $result; ${setup}
;const $start = $now()
for (let $one = 0; $one < $repeat; $one++) { ${body}
}
return [($now() - $start) / 1000, $result]`
  const timed = new Function('$repeat', '$now', 'require', source)
  const require = createRequire(`${process.cwd()}/`)
  return { timed: (repeat) => timed(repeat, now, require), isExpression }
}

/** Alone: within a loop of a function, `break` and `return` would be allowed and end the timing. */
function refuseIfWrong(code, name) {
  try {
    new Script(`"use strict"; ${code}`, { filename: name })
  } catch (error) {
    const [, line] = new RegExp(`^${name}:(\\d+)`).exec(error.stack) ?? []
    if (line !== undefined) error.message += ` (${name}, line ${line})`
    throw error
  }
}

function parses(source) {
  try {
    new Script(`"use strict"; ${source}`)
    return true
  } catch {
    return false
  }
}

/**
 * How often it has to run so that this takes the time given: 1, 2, 4, …; compiled code is faster, so the last counts. The
 * result is that of the first run of all, as text at once: code that runs again may change it.
 */
function calibrate(timed, seconds) {
  const [first, value] = timed(1)
  if (typeof value?.then === 'function')
    throw new TypeError(
      'the result is a promise, so this times nothing; only code that does not wait can be timed',
    )
  const result = shown(value)
  let [repeat, took] = [1, first]
  while (took < seconds && repeat < MOST_ITERATIONS) {
    repeat *= took * 8 > seconds ? 2 : 8
    took = timed(repeat)[0]
  }
  return { repeat, took, result }
}

function measure(order) {
  const { timed, isExpression } = timedFunction(order.setup, order.code)
  if (order.repeat === undefined) {
    const { repeat, took, result } = calibrate(timed, order.seconds)
    return { repeat, seconds: [took], ...(isExpression && { result }) }
  }
  if (order.warmUp) timed(order.repeat)
  const seconds = []
  for (let batch = 0; batch < order.batches; batch++) seconds[batch] = timed(order.repeat)[0]
  return { seconds }
}

/** A value as text that is equal for equal values: keys in order, numbers to 12 digits. */
function shown(value) {
  const text = inspect(value, {
    depth: 6,
    sorted: true,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: null,
  })
  const rounded = text.replace(/-?\d+\.\d+(e[-+]?\d+)?/g, (number) =>
    String(Number(Number(number).toPrecision(12))),
  )
  if (rounded.length <= MOST_CHARACTERS) return rounded
  const digest = createHash('sha256').update(rounded).digest('hex')
  return `${rounded.slice(0, MOST_CHARACTERS)}... (${rounded.length} characters, SHA-256 ${digest})`
}

/** Name, message and the line, unless it can only be the first; a syntax error names its line itself. */
function told(error, { setup, code }) {
  if (!(error instanceof Error)) return `it threw ${inspect(error)}`.slice(0, MOST_CHARACTERS)
  const message = `${error.name}: ${error.message}`.slice(0, MOST_CHARACTERS)
  const [, found] = /<anonymous>:(\d+):\d+\)?$/m.exec(error.stack ?? '') ?? []
  if (found === undefined) return message
  const line = Number(found) - LINES_BEFORE
  // The code follows the last line of the setup and one of ours.
  const before = setup.split('\n').length + 1
  if (line < before) return `${message} (<setup>, line ${line})`
  return code.trim().includes('\n') ? `${message} (<alternative>, line ${line - before})` : message
}

const order = parse(readFileSync(0, 'utf8'))
process.stdout.write = () => true
let answer
try {
  answer = measure(order)
} catch (error) {
  answer = { error: told(error, order) }
}
const bytes = toBytes(`\n${order.word}${stringify(answer)}\n`)
for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written)
exit(0)
