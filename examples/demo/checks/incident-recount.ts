// Counts the incidents round each point a second time, from the input itself and in another language.
import type { Verifier } from '@mendloop/core'
import type { Incident, IncidentFile } from '../incident-file.js'
import { csvRows } from './csv.js'
import { jsonDifferences } from './json-differences.js'
import { failure, readJsonOutput, readOutput, verdictOf } from './verdicts.js'

/** A place to count round. */
export interface Point {
  /** Key in tables. */
  readonly name: string
  /** What a reader of the chart sees. */
  readonly label: string
  readonly lat: number
  readonly lon: number
}

/** What is asked of the file. */
export interface Request {
  readonly radiusM: number
  readonly points: readonly Point[]
}

/** What a right answer holds. */
export interface Counts {
  /** Every month from the first to the last of the file. */
  readonly months: readonly string[]
  /** Point by point, in the request's order, incidents of each month. */
  readonly byPoint: readonly (readonly number[])[]
}

const EARTH_RADIUS_M = 6_371_000
const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Great-circle distance in metres, by the haversine formula. */
function distanceM(point: Point, { latitude, longitude }: Incident): number {
  const half = (degrees: number): number => Math.sin(radians(degrees) / 2) ** 2
  const chord =
    half(latitude - point.lat) +
    Math.cos(radians(point.lat)) * Math.cos(radians(latitude)) * half(longitude - point.lon)
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Every month from `first` to `last`, both as `2023-07`. */
export function monthsBetween(first: string, last: string): readonly string[] {
  const index = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
  const name = (at: number): string =>
    `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`
  return Array.from({ length: index(last) - index(first) + 1 }, (_, offset) => name(index(first) + offset))
}

/** The right answer. */
export function countIncidents({ incidents }: IncidentFile, { points, radiusM }: Request): Counts {
  let [first, last] = ['9999-12', '0000-01']
  const found = points.map(() => new Map<string, number>())
  for (const incident of incidents) {
    if (incident.month < first) first = incident.month
    if (incident.month > last) last = incident.month
    for (const [index, point] of points.entries()) {
      const months = found[index]
      if (months !== undefined && distanceM(point, incident) <= radiusM)
        months.set(incident.month, (months.get(incident.month) ?? 0) + 1)
    }
  }
  const months = monthsBetween(first, last)
  return { months, byPoint: found.map((byMonth) => months.map((month) => byMonth.get(month) ?? 0)) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

function expectedSummary(
  file: IncidentFile,
  { points, radiusM }: Request,
  { months, byPoint }: Counts,
): unknown {
  const years = [...new Set(months.map((month) => month.slice(0, 4)))]
  const summaries = points.map(({ name }, index) => {
    const counts = byPoint[index] ?? []
    const inYear = (year: string): number => sum(counts.filter((_, at) => months[at]?.startsWith(year)))
    return [
      name,
      { total: sum(counts), by_year: Object.fromEntries(years.map((year) => [year, inYear(year)])) },
    ]
  })
  return {
    radius_m: radiusM,
    rows: file.rows,
    skipped: file.rows - file.incidents.length,
    points: Object.fromEntries(summaries),
  }
}

/** Passes when summary.json and table.csv say what a recount of the file says. */
export function incidentRecount(file: IncidentFile, request: Request, counts: () => Counts): Verifier {
  return {
    name: 'counts recounted',
    visibility: 'visible',
    async verify(context) {
      const summary = await readJsonOutput(context, 'summary.json')
      if ('missing' in summary) return verdictOf([summary.missing])
      const wrong = jsonDifferences('summary.json', expectedSummary(file, request, counts()), summary.json)
      if (wrong.length > 0) return verdictOf(wrong)

      const table = await readOutput(context, 'table.csv')
      if ('missing' in table) return verdictOf([table.missing])
      const rows = [...csvRows(new TextDecoder().decode(table.bytes))].map((row) => row.join(','))
      const { months, byPoint } = counts()
      const expected = [
        ['month', ...request.points.map(({ name }) => name)].join(','),
        ...months.map((month, at) => [month, ...byPoint.map((series) => series[at])].join(',')),
      ]
      if (rows.length !== expected.length) {
        const values = { expected: String(expected.length), actual: String(rows.length) }
        return verdictOf([failure('output', 'table.csv has the wrong number of lines.', values)])
      }
      const at = expected.findIndex((line, index) => line !== rows[index])
      if (at === -1) return verdictOf([])
      const values = { expected: expected[at] ?? '', actual: rows[at] ?? '' }
      return verdictOf([failure('output', `table.csv: line ${at + 1} is wrong.`, values)])
    },
  }
}
