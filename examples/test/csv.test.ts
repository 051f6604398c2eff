import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from 'vitest'
import { csvRows } from '../demo/checks/csv.js'

const TEXTS = [
  '',
  '\n',
  'a,b\n1,2\n',
  'a,b\r\n1,2\r\n',
  'a,b\r1,2',
  'a,"b, c"\n',
  '"say ""no""",x\n',
  '"two\nlines",x\n\n\n3,4',
  ',\n',
  ',,\na,,\n,b,\n',
  '""\n""',
  'a"b,c"d\n',
  '"a"b,c\n',
  '"never closed, x\ny',
  'a,\n,b\n',
  'a,',
  '"",""',
  'é,…,"日本"\n',
]

const PYTHON =
  'import csv, io, json, sys; print(json.dumps([[row for row in csv.reader(io.StringIO(text, newline="")) if row] for text in json.load(sys.stdin)]))'

let pythonRows: readonly (readonly string[][])[] = []

beforeAll(() => {
  const input = JSON.stringify(TEXTS)
  pythonRows = JSON.parse(execFileSync('python3', ['-I', '-c', PYTHON], { input, encoding: 'utf8' }))
})

test.each(TEXTS.map((text, index) => ({ text, index })))(
  'reads $text as the csv module of Python does',
  ({ text, index }) => {
    expect([...csvRows(text)]).toEqual(pythonRows[index])
  },
)
