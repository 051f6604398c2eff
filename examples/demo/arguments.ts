// The command line of the demo: text in, settings or a readable refusal out.
import { resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Point, Request } from './checks/incident-recount.js'
import { usageError } from './demo-error.js'
import type { TaskLetter } from './tasks/demo-task.js'
import { DEFAULT_REQUEST } from './tasks/incidents.js'

/** What the demo was asked to do. */
export interface DemoArguments {
  readonly help: boolean
  readonly tasks: readonly TaskLetter[]
  /** Absolute path of the file for task c. */
  readonly csv?: string
  readonly request: Request
  /** Absolute path of the output folder, when one was named. */
  readonly out?: string
}

/** What `--help` prints. */
export const HELP = `\
Usage: npm start -- [options]

A model writes a program, the program is run, and it is mended until its checks pass.

Options
  --task a|b|c           one task only; may be given again. Default: all three
                           a  the stock of a price feed, category by category
                           b  a question to a SQLite database
                           c  incidents near two points, month by month
  --csv FILE             task c on another file: a .csv, or a .zip that holds one,
                         with the columns "Incident Datetime", "Latitude" and
                         "Longitude"
  --point NAME=LAT,LON   count round this point instead; up to four times
  --radius METRES        count within this distance. Default: ${DEFAULT_REQUEST.radiusM}
  --out DIR              where records, programs and results go. Default: out/
  --help                 this text

Environment
  OPENAI_API_KEY, OPENAI_BASE_URL
                         use a live model: OpenAI's, or any compatible server.
                         Without them, recorded replies are played; the programs
                         in them are run and judged for real
  OPENAI_MODEL           the model's name. Default: gpt-5-mini
  NO_COLOR, FORCE_COLOR  no colours, or colours also on a pipe

Exit code: 0 every task verified, 1 not verified or no way to run,
2 wrong arguments or file.
`

const OPTIONS = {
  task: { type: 'string', multiple: true },
  csv: { type: 'string' },
  point: { type: 'string', multiple: true },
  radius: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

const MOST_POINTS = 4
const MOST_NAME_CHARS = 30
/** Half the Earth's circumference. */
const MOST_RADIUS_M = 20_016_000

/**
 * Reads the command line.
 *
 * @param folder - what relative paths start from
 * @throws DemoError with exit code 2
 */
export function parseArguments(argv: readonly string[], folder: string): DemoArguments {
  const values = parse(argv)
  const pointed = values.csv !== undefined || values.point !== undefined || values.radius !== undefined
  const letters = (values.task ?? []).map(parseLetter)
  if (pointed && letters.some((letter) => letter !== 'c'))
    throw usageError('--csv, --point and --radius belong to task c; leave --task out, or say --task c.')
  const tasks =
    letters.length > 0
      ? [...new Set(letters)].sort()
      : pointed
        ? (['c'] as const)
        : (['a', 'b', 'c'] as const)
  for (const name of ['csv', 'out'] as const)
    if (values[name] === '') throw usageError(`--${name} needs a path.`)
  return {
    help: values.help === true,
    tasks,
    ...(values.csv !== undefined && { csv: resolve(folder, values.csv) }),
    ...(values.out !== undefined && { out: resolve(folder, values.out) }),
    request: {
      radiusM: values.radius === undefined ? DEFAULT_REQUEST.radiusM : parseRadius(values.radius),
      points: values.point === undefined ? DEFAULT_REQUEST.points : parsePoints(values.point),
    },
  }
}

function parse(argv: readonly string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: withValuesJoined(argv),
      options: OPTIONS,
      allowPositionals: true,
      tokens: true,
    })
    const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
    const twice = (['csv', 'radius', 'out'] as const).find(
      (name) => given.indexOf(name) !== given.lastIndexOf(name),
    )
    if (twice !== undefined) throw usageError(`--${twice} was given more than once; give it once.`)
    const stray = positionals[0]
    if (stray !== undefined)
      throw usageError(
        `Unknown argument ${JSON.stringify(stray)}. To name a file, say --csv FILE; --help lists the options.`,
      )
    return values
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') !== true) throw error
    const [sentence = ''] = (error as Error).message.split(/\.(?:\s|$)/)
    throw usageError(`${sentence}. --help lists the options.`, error)
  }
}

/** `--radius -5` is meant as `--radius=-5`: the parser would take every dash for the next option. */
function withValuesJoined(argv: readonly string[]): string[] {
  const joined: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const [argument = '', next] = [argv[at], argv[at + 1]]
    if (argument === '--') return [...joined, ...argv.slice(at)]
    if (!takesValue(argument)) {
      joined.push(argument)
      continue
    }
    if (next === undefined) throw usageError(`${argument} needs a value. --help lists the options.`)
    if (next.startsWith('-') && !/^-[.\d]/.test(next))
      throw usageError(
        `${argument} needs a value, and ${JSON.stringify(next)} looks like an option. ` +
          `A value that begins with "-" is written ${argument}=${next}.`,
      )
    joined.push(`${argument}=${next}`)
    at++
  }
  return joined
}

const takesValue = (argument: string): boolean =>
  Object.entries(OPTIONS).some(([name, { type }]) => type === 'string' && argument === `--${name}`)

function parseLetter(text: string): TaskLetter {
  if (text === 'a' || text === 'b' || text === 'c') return text
  throw usageError(`There is no task ${JSON.stringify(text)}; there are a, b and c.`)
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)$/

function parseRadius(text: string): number {
  const metres = Number(text)
  if (!DECIMAL.test(text))
    throw usageError(`--radius must be a number of metres, such as 500; received ${JSON.stringify(text)}.`)
  if (metres <= 0) throw usageError(`--radius must be more than 0; received ${text}.`)
  if (metres > MOST_RADIUS_M)
    throw usageError(
      `--radius must be at most ${MOST_RADIUS_M}, since no two places are farther apart; received ${text}.`,
    )
  return metres
}

function parsePoints(texts: readonly string[]): readonly Point[] {
  if (texts.length > MOST_POINTS)
    throw usageError(`--point was given ${texts.length} times; the chart has colours for ${MOST_POINTS}.`)
  const points = texts.map(parsePoint)
  for (const [index, { name }] of points.entries())
    if (points.findIndex((other) => other.name === name) !== index)
      throw usageError(`Two points are named ${JSON.stringify(name)}; each needs a name of its own.`)
  return points
}

function parsePoint(text: string): Point {
  const received = `(received ${JSON.stringify(text)})`
  const split = text.lastIndexOf('=')
  const name = text.slice(0, Math.max(0, split)).trim()
  const [lat = '', lon = '', ...more] = text
    .slice(split + 1)
    .split(',')
    .map((part) => part.trim())
  if (name === '' || more.length > 0 || !DECIMAL.test(lat) || !DECIMAL.test(lon))
    throw usageError(`--point must be NAME=LATITUDE,LONGITUDE, such as Marina=37.805,-122.433 ${received}.`)
  // Control characters could neither be drawn nor stand in XML.
  if (name.length > MOST_NAME_CHARS || /[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u.test(name))
    throw usageError(`The name of a point must be up to ${MOST_NAME_CHARS} visible characters ${received}.`)
  if (Math.abs(Number(lat)) > 90 || Math.abs(Number(lon)) > 180)
    throw usageError(`The latitude must be within ±90 and the longitude within ±180 degrees ${received}.`)
  return { name, label: name, lat: Number(lat), lon: Number(lon) }
}
