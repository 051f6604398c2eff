// The `checks` of a case as Python tests, one function a check, so that each is reported.
import { asFilledList, asFilledText, asObjectOf, NotUnderstood, own } from './expectation.js'

/** The program that the checks are about. */
export interface CheckedProgram {
  /** Path of the module that the checks call. */
  readonly path: string
  readonly code: string
}

const NAME = 'test_check_'

/** Whether a test of a report stands for a check. */
export const isCheck = (test: string): boolean => test.startsWith(NAME)

/** How many checks a file of checks holds, and the tests that stand for them. */
export function testsFromChecks(
  checks: unknown,
  program: CheckedProgram,
): { readonly source: string; readonly count: number } {
  const functions = asFilledList(checks).map((value, index) => {
    const check = asObjectOf(value, ['call', 'equals', 'raises', 'note'])
    const call = asFilledText(check['call'])
    if ('equals' in check === 'raises' in check)
      throw new NotUnderstood(`"${call}": either "equals" or "raises" is needed`)
    const lines = 'raises' in check ? raising(call, check['raises']) : equalling(call, check['equals'])
    return testFunction(index + 1, [...importsOf(call, program), ...lines])
  })
  return { source: [BOOLEANS, ...functions].join('\n\n'), count: functions.length }
}

/** One expression of Python that must be true, as a test. */
export const testFromExpression = (expression: string, program: CheckedProgram): string =>
  testFunction(1, [...importsOf(expression, program), `assert (${expression})`])

const testFunction = (number: number, lines: readonly string[]): string =>
  `def ${NAME}${number}():\n${lines.map((line) => `    ${line}\n`).join('')}`

/** To Python True is 1, and False is 0. A case that says 1 means the number; 2.0 for 2 is right. */
const BOOLEANS = `def _booleans(value):
    if isinstance(value, dict):
        return {key: _booleans(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_booleans(item) for item in value]
    return isinstance(value, bool)
`

function equalling(call: string, wanted: unknown): readonly string[] {
  const literal = pythonLiteral(wanted)
  if (!couldBeBoolean(wanted)) return [`assert ${call} == ${literal}`]
  return [
    `assert (result := ${call}) == ${literal}`,
    `assert _booleans(result) == _booleans(${literal}), "a boolean is no number"`,
  ]
}

function couldBeBoolean(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(couldBeBoolean)
  return typeof value === 'boolean' || value === 0 || value === 1
}

/** `"ValueError"`: an exception of that class, or of one that is derived from it. */
function raising(call: string, wanted: unknown): readonly string[] {
  const name = asFilledText(wanted)
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new NotUnderstood(`"${name}" is not the name of an exception`)
  return [
    'raised = []',
    'try:',
    `    ${call}`,
    'except Exception as error:',
    '    raised = [one.__name__ for one in type(error).__mro__]',
    `assert "${name}" in raised, ${pythonLiteral(`${call} must raise ${name}`)}`,
  ]
}

/**
 * What the expression takes from the program: what it calls and Python itself does not have, and every other name in it that
 * the program defines. A name of Python's own stands for a function of the program only where nothing else does.
 */
function importsOf(expression: string, { path, code }: CheckedProgram): readonly string[] {
  const plain = expression.replaceAll(TEXT, '""')
  const bound = [...plain.matchAll(/\blambda\b([^:]*):|\bfor\b(.*?)\bin\b/g)]
    .flatMap(([, parameters, targets]) => (parameters ?? targets ?? '').match(/[A-Za-z_]\w*/g) ?? [])
    .concat(KEYWORDS)
  const mentioned = [...plain.matchAll(/(?<![\w.])([A-Za-z_]\w*)\s*([(.]?)/g)]
    .map(([, name = '', after]) => ({ name, isCalled: after === '(', isOwn: defines(code, name) }))
    .filter(({ name }) => !bound.includes(name))
  const needed = mentioned.filter(
    ({ name, isCalled, isOwn }) => (isOwn || (isCalled && !EXCEPTION.test(name))) && !BUILTINS.has(name),
  )
  const replaced = mentioned.filter(({ isCalled, isOwn }) => isCalled && isOwn)
  const names = [...new Set((needed.length > 0 ? needed : replaced).map(({ name }) => name))]
  if (names.length === 0) throw new NotUnderstood(`"${expression}" calls no function of the program`)
  const modules = mentioned.filter(({ name, isOwn }) => !isOwn && MODULES.includes(name))
  return [
    ...new Set(modules.map(({ name }) => `import ${name}`)),
    `from ${path.replace(/\.py$/, '').replaceAll('/', '.')} import ${names.join(', ')}`,
  ]
}

const defines = (code: string, name: string): boolean =>
  new RegExp(
    String.raw`^(?:(?:(?:async\s+)?def|class)\s+${name}\b|${name}\s*(?::[^=\n]*)?=(?!=)|from\b.*\bimport\b.*\b${name}\b|import\s+${name}\b)`,
    'm',
  ).test(code)

/** A text in the source of Python. */
const TEXT = /(?:\b[rbfuRBFU]{1,2})?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/g

const EXCEPTION = /^(?:\w+(?:Error|Warning)|Exception|BaseException|StopIteration|KeyboardInterrupt)$/

/** Modules that an expression may use without saying so. */
const MODULES = ['collections', 'datetime', 'decimal', 'fractions', 'itertools', 'json', 'math', 're']

const KEYWORDS = 'and as assert async await else for if in is lambda not or yield'.split(' ')

const BUILTINS = new Set(
  'False None True abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip'.split(
    ' ',
  ),
)

/** JSON data as Python source. */
function pythonLiteral(value: unknown): string {
  const word = own({ null: 'None', true: 'True', false: 'False' }, String(value))
  if (word !== undefined && typeof value !== 'string') return word
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${pythonLiteral(key)}: ${pythonLiteral(item)}`,
    )
    return `{${entries.join(', ')}}`
  }
  // JSON's text is Python's too, but for the escape of characters beyond the basic plane, which stay as they are here.
  return JSON.stringify(value)
}
