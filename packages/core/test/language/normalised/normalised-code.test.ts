// Programs that do the same and read differently, and programs that only look alike.
import { describe, expect, test } from 'vitest'
import { codeFingerprint } from '../../../src/language/normalised/normalised-code.js'

const python = (text: string): string => codeFingerprint('python', { 'solution.py': text })
const javascript = (text: string): string => codeFingerprint('javascript', { 'solution.mjs': text })

const ORIGINAL = `def mean(values):
    total = 0
    for value in values:
        total += value
    return total / len(values)
`

describe('Python: the same program', () => {
  test.each([
    ['with comments', `# a mean\n${ORIGINAL.replace('total = 0', 'total = 0  # nothing yet')}`],
    ['with blank lines', ORIGINAL.replaceAll('\n', '\n\n')],
    ['with other spacing', ORIGINAL.replace('total / len(values)', 'total/len( values )')],
    ['with tabs', ORIGINAL.replaceAll('    ', '\t')],
    ['with CR LF', ORIGINAL.replaceAll('\n', '\r\n')],
    [
      'on several lines',
      ORIGINAL.replace('total / len(values)', '(total /\n        len(values))')
        .replace('(total', 'total')
        .replace('len(values))', 'len(values)')
        .replace('/\n        ', '/ \\\n        '),
    ],
    [
      'with other local names',
      ORIGINAL.replaceAll('total', 'acc').replaceAll('value ', 'v ').replace('+= value', '+= v'),
    ],
  ])('%s', (_, text) => {
    expect(python(text)).toBe(python(ORIGINAL))
  })
})

describe('Python: another program', () => {
  test.each([
    ['another constant', ORIGINAL.replace('total = 0', 'total = 1')],
    ['another operator', ORIGINAL.replace('+=', '-=')],
    ['another function', ORIGINAL.replace('mean', 'average')],
    ['another parameter, which callers may name', ORIGINAL.replaceAll('values', 'xs')],
    ['another indentation', ORIGINAL.replace('    return', '        return')],
    ['swapped variables', ORIGINAL.replace('total += value', 'value += total')],
    ['a variable that is read as well', `${ORIGINAL}total = 3\n`],
  ])('%s', (_, text) => {
    expect(python(text)).not.toBe(python(ORIGINAL))
  })

  test('what is in strings counts, spaces and names too', () => {
    expect(python('print("a b")')).not.toBe(python('print("a  b")'))
    expect(python('print("# a")')).not.toBe(python('print("# b")'))
    expect(python("print('a')")).not.toBe(python("print('b')"))
    const said = (name: string): string => `def f():\n    ${name} = 1\n    return f"{${name}=}"\n`
    expect(python(said('a'))).not.toBe(python(said('b')))
    const looked = (name: string): string => `def f():\n    ${name} = 1\n    return locals()\n`
    expect(python(looked('a'))).not.toBe(python(looked('b')))
  })

  test('a name that a formatted string mentions, however deep, counts', () => {
    const nested = (a: number, b: number): string =>
      `def f():\n    a = ${a}\n    b = ${b}\n    w = 3\n    return f"{a:{w}}"\n`
    expect(python(nested(1, 2))).not.toBe(
      python(nested(1, 2).replace('a = 1', 'b = 1').replace('b = 2', 'a = 2')),
    )
  })

  test('a text that is no Python is told by its text', () => {
    expect(python('def f(:\n')).toBe(python('def f(:  \n'))
    expect(python('def f(:\n')).not.toBe(python('def g(:\n'))
  })

  test('one string in the place of another is another program', () => {
    expect(python('f("a", "b")')).not.toBe(python('f("b", "a")'))
  })
})

describe('JavaScript', () => {
  const original = 'export function f(a) {\n  return a / 2 // half\n}\n'
  test.each([
    ['without its comment', original.replace(' // half', '')],
    ['with a block comment', original.replace('return', 'return /* the half of */')],
    ['with other spacing', original.replace('a / 2', 'a/2').replace('(a) {', '(a){')],
  ])('is the same %s', (_, text) => {
    expect(javascript(text)).toBe(javascript(original))
  })

  test.each([
    ['strings that look like comments', 'f("// a")', 'f("// b")'],
    ['templates over lines', 'f(`\n// a\n`)', 'f(`\n// b\n`)'],
    ['regular expressions with slashes', 'f(/[/]/, "a // b")', 'f(/[/]/, "a // c")'],
    ['operators that a blank keeps apart', 'a + +b', 'a ++b'],
    ['a line break that ends a statement', 'return\na', 'return a'],
    ['blanks in strings', "f('a b')", "f('a  b')"],
    ['templates within templates', 'f(`§{g(`https://h/1`)}`)', 'f(`§{g(`https://h/2`)}`)'],
    ['braces within templates', 'f(`§{ {a: {b: "}"}} } // 1`)', 'f(`§{ {a: {b: "}"}} } // 2`)'],
  ])('tells %s apart', (_, one, other) => {
    // Written so, since a linter takes the real ones for templates of its own.
    const [first, second] = [one, other].map((text) => javascript(text.replaceAll('§', '$')))
    expect(first).not.toBe(second)
  })
})

test.each([
  ['java', 'class A { String s = """\n  // a\n  """; }', 'class A { String s = """\n  // b\n  """; }'],
  ['go', 'var s = `\\` // a\nvar t = "x // 1"', 'var s = `\\` // a\nvar t = "x // 2"'],
])('%s: what is in strings counts', (language, one, other) => {
  const of = (text: string): string => codeFingerprint(language, { 'x.txt.src': text })
  expect(of(one)).not.toBe(of(other))
})

test('a text of blanks is read in time', () => {
  for (const language of ['python', 'shell', 'javascript'])
    expect(codeFingerprint(language, { 'x.json': `(${' '.repeat(500_000)}x` })).toHaveLength(16)
}, 5_000)

test('the files count by their paths', () => {
  expect(codeFingerprint('python', { 'a.py': '1', 'b.py': '2' })).toBe(
    codeFingerprint('python', { 'b.py': '2', 'a.py': '1' }),
  )
  expect(codeFingerprint('python', { 'a.py': '1' })).not.toBe(codeFingerprint('python', { 'b.py': '1' }))
})
