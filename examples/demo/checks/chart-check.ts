// Reads the chart as XML and compares the height of every vertex with the recounted numbers.
import { readFileSync } from 'node:fs'
import type { Failure, Verifier } from '@mendloop/core'
import type { Counts, Request } from './incident-recount.js'
import { pythonCheck } from './python-check.js'
import { failure, readOutput, verdictOf } from './verdicts.js'

const SOURCE = readFileSync(new URL('chart_check.py', import.meta.url), 'utf8')

/** A vertex may be this far from where its number belongs, in units of the drawing: programs round. */
const TOLERANCE = 0.6

type Vertex = readonly [x: number, y: number]

interface Chart {
  readonly root: string
  readonly series: readonly { readonly point: string; readonly vertices: readonly Vertex[] }[]
  readonly texts: readonly string[]
}

/** Passes when chart.svg is well-formed and draws one line a point, month by month, all to one linear scale. */
export function chartCheck({ points }: Request, counts: () => Counts): Verifier {
  return {
    name: 'chart measured',
    visibility: 'visible',
    async verify(context) {
      const output = await readOutput(context, 'chart.svg')
      if ('missing' in output) return verdictOf([output.missing])
      const read = await pythonCheck(context, SOURCE, ['chart.svg'])
      if ('failed' in read) return verdictOf([read.failed])
      return verdictOf([...wrongIn(read.json as Chart, points, counts())])
    },
  }
}

function* wrongIn(chart: Chart, points: Request['points'], { months, byPoint }: Counts): Generator<Failure> {
  if (chart.root !== '{http://www.w3.org/2000/svg}svg')
    yield failure('output', 'chart.svg is not SVG.', {
      expected: 'an <svg> element in the SVG namespace',
      actual: chart.root,
    })
  const drawn: { count: number; y: number }[] = []
  for (const [index, { name, label }] of points.entries()) {
    const line = chart.series.filter(({ point }) => point === name)
    const vertices = line[0]?.vertices ?? []
    if (line.length !== 1 || vertices.length !== months.length) {
      yield failure('output', `chart.svg: the line of ${name} is not one vertex a month.`, {
        expected: `polylines: 1, vertices: ${months.length}`,
        actual: `polylines: ${line.length}, vertices: ${vertices.length}`,
      })
      continue
    }
    if (vertices.some(([x], at) => at > 0 && x <= (vertices[at - 1]?.[0] ?? 0)))
      yield failure('output', `chart.svg: the line of ${name} does not go from left to right.`)
    if (!chart.texts.some((text) => text.includes(label)))
      yield failure('output', `chart.svg: no text names ${label}.`)
    drawn.push(...vertices.map(([, y], at) => ({ count: byPoint[index]?.[at] ?? 0, y })))
  }
  yield* wrongScale(drawn)
}

/** One straight scale for all: the drawing's y must fall evenly as the count rises. */
function* wrongScale(drawn: readonly { count: number; y: number }[]): Generator<Failure> {
  const low = drawn.reduce((a, b) => (b.count < a.count ? b : a), drawn[0] ?? { count: 0, y: 0 })
  const high = drawn.reduce((a, b) => (b.count > a.count ? b : a), low)
  if (high.count > low.count && high.y >= low.y) {
    yield failure('output', 'chart.svg: more incidents are not drawn higher.')
    return
  }
  const slope = high.count > low.count ? (high.y - low.y) / (high.count - low.count) : 0
  const off = drawn.find(({ count, y }) => Math.abs(low.y + slope * (count - low.count) - y) > TOLERANCE)
  if (off === undefined) return
  yield failure(
    'output',
    `chart.svg: a vertex for the count ${off.count} is not at the height of ${off.count}.`,
    {
      expected: `y = ${(low.y + slope * (off.count - low.count)).toFixed(1)}`,
      actual: `y = ${off.y.toFixed(1)}`,
    },
  )
}
