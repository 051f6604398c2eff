import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { DemoError } from '../demo/demo-error.js'
import { readIncidentFile } from '../demo/incident-file.js'
import { freshFolder } from './helpers/start-demo.js'

const folder = freshFolder()
const HEADER = 'Incident Datetime,Latitude,Longitude\n'
const ROW = '2023-07-22 15:21:00,37.77,-122.42\n'

const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Makes archives with Python, so that two implementations of the format meet. */
const MAKE_ZIPS = `
import sys, zipfile
folder, csv = sys.argv[1:3]
def make(name, files, how=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(f"{folder}/{name}", "w", how) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
make("good.zip", {"folder/": "", "folder/data.CSV": csv, "__MACOSX/folder/._data.csv": "x", "readme.txt": "x"})
make("stored.zip", {"data.csv": csv}, zipfile.ZIP_STORED)
make("bzip2.zip", {"data.csv": csv}, zipfile.ZIP_BZIP2)
make("two.zip", {"a.csv": csv, "b.csv": csv})
make("none.zip", {"readme.txt": "x"})
make("empty.zip", {})
`

beforeAll(() => {
  execFileSync('python3', ['-I', '-c', MAKE_ZIPS, folder, HEADER + ROW])
})

const refusal = (path: string): string => {
  try {
    readIncidentFile(path)
  } catch (error) {
    expect(error).toBeInstanceOf(DemoError)
    expect((error as DemoError).exitCode).toBe(2)
    return (error as DemoError).message
  }
  throw new Error('it was not refused')
}

test('a CSV gives its usable incidents and counts the rows that cannot be used', () => {
  const rows = [
    ROW,
    '2023/08/01,37.7,-122.4\n',
    ',37.7,-122.4\n',
    '2023-08-02,,\n',
    '2023-13-01,1,1\n',
    '2023-08-02,nan,0\n',
    'x\n',
  ]
  const file = readIncidentFile(write('some.csv', `\ufeff${HEADER}${rows.join('')}\n`))
  expect(file.rows).toBe(7)
  expect(file.incidents).toEqual([
    { month: '2023-07', latitude: 37.77, longitude: -122.42 },
    { month: '2023-08', latitude: 37.7, longitude: -122.4 },
  ])
  expect(file.head[0]).toBe(HEADER.trim())
})

test.each(['good.zip', 'stored.zip'])('the one CSV in %s is read', (name) => {
  const file = readIncidentFile(join(folder, name))
  expect(file.name).toBe('incidents.zip')
  expect(file.incidents).toHaveLength(1)
})

test('a file that is not there is refused by its name', () => {
  expect(refusal(join(folder, 'nowhere.csv'))).toMatch(/^There is no file ".*nowhere\.csv"\.$/)
})

test('a folder is refused as one', () => {
  mkdirSync(join(folder, 'sub'))
  expect(refusal(join(folder, 'sub'))).toContain('is a folder')
})

test.each([
  ['nothing.csv', '', 'is empty'],
  [
    'columns.csv',
    'Date,Lat,Lon\n1,2,3\n',
    'has no column "Incident Datetime", "Latitude", "Longitude". Its first line names "Date"',
  ],
  ['one-missing.csv', 'Incident Datetime,Latitude\n2023-01-01,1\n', 'has no column "Longitude"'],
  ['header-only.csv', HEADER, 'has column names and no rows'],
  [
    'span.csv',
    `${HEADER}1024-01-01,1,1\n2024-01-01,1,1\n`,
    'go from 1024 to 2024; this demo draws up to 200 years',
  ],
  ['unusable.csv', `${HEADER}yesterday,1,2\n`, /^The one row of .* cannot be used/],
  ['unusable-rows.csv', `${HEADER}yesterday,1,2\nnever,1,2\n`, 'None of the 2 rows of'],
  [
    'semicolons.csv',
    '"Incident Datetime";"Latitude";"Longitude"\n2023-07-22;37,77;-122,42\n',
    'separated by semicolons; they must be separated by commas',
  ],
  ['tabs.csv', 'Incident Datetime\tLatitude\tLongitude\n', 'are separated by tabs'],
  ['text.zip', `${HEADER}${ROW}`, 'is named .zip and is no zip archive'],
  ['binary.csv', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 1), 'is not a text file'],
  ['utf16.csv', Buffer.from(`\ufeff${HEADER}${ROW}`, 'utf16le'), 'is not a text file'],
  ['damaged.zip', 'PK\u0003\u0004 and nothing more', 'its table of contents is missing'],
] as const)('%s is refused with a sentence', (name, content, sentence) => {
  expect(refusal(write(name, content))).toMatch(sentence)
})

test.each([
  ['two.zip', 'must hold exactly one .csv file; it holds "a.csv", "b.csv"'],
  ['none.zip', 'must hold exactly one .csv file; it holds "readme.txt"'],
  ['empty.zip', 'it is empty'],
  ['bzip2.zip', 'it is packed by method 12'],
])('the archive %s is refused with a sentence', (name, sentence) => {
  expect(refusal(join(folder, name))).toContain(sentence)
})
