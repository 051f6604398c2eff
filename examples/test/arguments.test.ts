import { describe, expect, test } from 'vitest'
import { parseArguments } from '../demo/arguments.js'
import { DemoError } from '../demo/demo-error.js'

const parse = (...argv: string[]) => parseArguments(argv, '/somewhere')

test('without arguments all three tasks run with the two points and 500 metres', () => {
  const { tasks, request, csv, out } = parse()
  expect(tasks).toEqual(['a', 'b', 'c'])
  expect(request.radiusM).toBe(500)
  expect(request.points.map(({ name, lat, lon }) => [name, lat, lon])).toEqual([
    ['A', 37.769247, -122.426956],
    ['B', 37.805052, -122.432952],
  ])
  expect([csv, out]).toEqual([undefined, undefined])
})

test('a CSV, a point or a radius means task c, and relative paths start where the person is', () => {
  expect(parse('--csv', 'a.zip')).toMatchObject({ tasks: ['c'], csv: '/somewhere/a.zip' })
  expect(parse('--radius=350.5')).toMatchObject({ tasks: ['c'], request: { radiusM: 350.5 } })
  expect(parse('--point', 'x=y=1,-2', '--point', 'Café 東=0,0').request.points).toEqual([
    { name: 'x=y', label: 'x=y', lat: 1, lon: -2 },
    { name: 'Café 東', label: 'Café 東', lat: 0, lon: 0 },
  ])
})

test('tasks can be chosen, each once', () => {
  expect(parse('--task', 'b', '--task', 'a', '--task', 'b').tasks).toEqual(['a', 'b'])
})

describe('what cannot be meant is refused with exit code 2 and a sentence', () => {
  test.each([
    [['--task', 'd'], 'There is no task "d"'],
    [['--task', 'a', '--csv', 'x'], 'belong to task c'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['--csv'], '--help'],
    [['--csv', ''], '--csv needs a path'],
    [['data.csv'], 'Unknown argument "data.csv"'],
    [['--radius', '0'], '--radius must be more than 0; received 0.'],
    [['--radius', '-5'], '--radius must be more than 0; received -5.'],
    [['--radius=-.5'], '--radius must be more than 0; received -.5.'],
    [['--radius', '20016001'], 'at most 20016000'],
    [['--radius', '--csv', 'x'], '--radius needs a value, and "--csv" looks like an option'],
    [['--csv', '-x.csv'], 'is written --csv=-x.csv'],
    [['--csv', 'a', '--csv', 'a'], '--csv was given more than once'],
    [['--radius', '1', '--radius=2'], '--radius was given more than once'],
    [['--out', 'a', '--out', 'b'], '--out was given more than once'],
    [['--radius', '5m'], 'received "5m"'],
    [['--radius', '1e3'], 'received "1e3"'],
    [['--point', 'Marina'], 'NAME=LATITUDE,LONGITUDE'],
    [['--point', '=1,2'], 'NAME=LATITUDE,LONGITUDE'],
    [['--point', 'a=1,2,3'], 'NAME=LATITUDE,LONGITUDE'],
    [['--point', 'a=91,2'], 'within ±90'],
    [['--point', 'a=1,-180.5'], 'within ±180'],
    [['--point', 'a\u0007=1,2'], 'visible characters'],
    [['--point', `${'n'.repeat(31)}=1,2`], 'visible characters'],
    [['--point', 'a=1,2', '--point', 'a=3,4'], 'Two points are named "a"'],
    [
      ['--point', 'a=1,1', '--point', 'b=1,1', '--point', 'c=1,1', '--point', 'd=1,1', '--point', 'e=1,1'],
      'given 5 times',
    ],
  ])('%j', (argv, sentence) => {
    let refused: unknown
    try {
      parse(...argv)
    } catch (error) {
      refused = error
    }
    expect(refused).toBeInstanceOf(DemoError)
    expect(refused).toMatchObject({ exitCode: 2, message: expect.stringContaining(sentence) })
  })
})
