// Task (c): dated, located incidents; how many near each of two points, month by month.
import { fileURLToPath } from 'node:url'
import { exitsCleanly, pythonTests } from '@mendloop/core'
import { chartCheck } from '../checks/chart-check.js'
import { type Counts, countIncidents, incidentRecount, type Request } from '../checks/incident-recount.js'
import { readIncidentFile } from '../incident-file.js'
import { type DemoTask, jsonOutput } from './demo-task.js'

/** The file the task runs on when none is named. */
export const DEFAULT_CSV = fileURLToPath(new URL('../../data/incidents.csv', import.meta.url))

/** What is counted when nothing else is asked for: two places in San Francisco. */
export const DEFAULT_REQUEST: Request = {
  radiusM: 500,
  points: [
    { name: 'A', label: 'A, Upper Market', lat: 37.769247, lon: -122.426956 },
    { name: 'B', label: 'B, Marina', lat: 37.805052, lon: -122.432952 },
  ],
}

const goal = (csv: string, head: readonly string[], request: string): string => `\
Write incidents.py. It is run as

    python3 incidents.py ${csv} request.json

${csv} is a CSV of incidents (or a .zip that holds one .csv file, perhaps beside a folder __MACOSX that does not count),
UTF-8, perhaps with a byte order mark. It can have some hundred thousand rows, so read it once, row by row, out of the zip
too. request.json names the radius and the points. The program uses the standard library only.

It has the functions
- distance_m(lat1, lon1, lat2, lon2): metres by the haversine formula with an Earth radius of 6,371,000 m;
- month_of(text): "2023-07" for "2023-07-22 15:21:00" and for "2023/07/22"; None when the text does not begin with a date.

An incident counts for a point when its distance is <= the radius. Rows without a month or without a latitude and longitude
in degrees are skipped and counted. The months go from the first to the last month of any row that is not skipped,
without a gap, also where a point has no incident.

It writes three files:
- table.csv: header "month" and the names of the points, then one line a month with the number of incidents;
- summary.json: "radius_m", "rows" (all but the header), "skipped", and "points": for each name "total" and "by_year"
  (every year of the months, as a string, with its number);
- chart.svg: a line chart by month that is pleasant to read: title, axes with labels and grid, a legend with the label of
  each point, one colour a point. The line of a point is one <polyline data-point="NAME" points="x,y x,y …"> with
  one vertex a month, all to one linear scale that starts at zero. Names and labels can hold any character.
It prints one line a point with its total.

request.json:
${request}

The first lines of the CSV:
${head.join('\n')}
`

// The expected distances are worked out in the judge, by the law of cosines: another formula than the one asked for.
const TESTS = `\
from math import acos, cos, radians, sin
from incidents import distance_m, month_of

def truth(lat1, lon1, lat2, lon2):
    a, b, c = radians(lat1), radians(lat2), radians(lon2 - lon1)
    return 6371000 * acos(sin(a) * sin(b) + cos(a) * cos(b) * cos(c))

def test_distance_north():
    assert round(distance_m(37.77, -122.42, 37.78, -122.42)) == round(truth(37.77, -122.42, 37.78, -122.42))

def test_distance_east():
    assert round(distance_m(37.77, -122.42, 37.77, -122.41)) == round(truth(37.77, -122.42, 37.77, -122.41))

def test_distance_in_the_north():
    assert round(distance_m(64.14, -21.94, 64.15, -21.90)) == round(truth(64.14, -21.94, 64.15, -21.90))

def test_no_distance():
    assert distance_m(37.77, -122.42, 37.77, -122.42) == 0

def test_month():
    assert month_of("2023-07-22 15:21:00") == "2023-07"

def test_month_with_slashes():
    assert month_of("2023/12/01") == "2023-12"

def test_no_month():
    assert month_of("unknown") is None
`

interface Summary {
  readonly rows: number
  readonly skipped: number
  readonly points: Readonly<Record<string, { total: number; by_year: Readonly<Record<string, number>> }>>
}

/**
 * Makes the task.
 *
 * @throws DemoError when the file cannot be used
 */
export function incidents(path: string = DEFAULT_CSV, request: Request = DEFAULT_REQUEST): DemoTask {
  const file = readIncidentFile(path)
  const requestJson = JSON.stringify({ radius_m: request.radiusM, points: request.points }, null, 2)
  let known: Counts | undefined
  const counts = (): Counts => {
    known ??= countIncidents(file, request)
    return known
  }
  const names = request.points.map(({ label }) => label).join(' and of ')
  return {
    letter: 'c',
    id: 'incidents',
    title: 'Incidents near two points',
    question: `How many incidents were reported within ${request.radiusM} m of ${names}, month by month? The answer is to be a chart and a table.`,
    inputs: [{ name: file.shownName, sizeBytes: file.bytes.length, head: file.head }],
    task: {
      goal: goal(file.name, file.head, requestJson),
      language: 'python',
      entry: 'incidents.py',
      files: { [file.name]: file.bytes, 'request.json': requestJson },
      args: [file.name, 'request.json'],
      verify: [
        exitsCleanly(),
        incidentRecount(file, request, counts),
        chartCheck(request, counts),
        pythonTests(TESTS, { name: 'functions tested' }),
      ],
      outputs: ['summary.json', 'table.csv', 'chart.svg'],
      limits: { wallMs: 60_000 },
    },
    answer(result) {
      const summary = jsonOutput<Summary>(result, 'summary.json')
      if (summary === undefined) return []
      const points = Object.entries(summary.points).map(([name, { total, by_year }]) => {
        const years = Object.entries(by_year).map(([year, count]) => `${year}: ${count}`)
        return `${name}: ${total} within ${request.radiusM} m (${years.join(', ')})`
      })
      return [...points, `${summary.rows} ${summary.rows === 1 ? 'row' : 'rows'}, ${summary.skipped} skipped`]
    },
  }
}
