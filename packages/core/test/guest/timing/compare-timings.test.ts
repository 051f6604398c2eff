// Alternatives timed against each other in real processes.
import { spawnSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import { type CompareTimingsOptions, compareTimings } from '../../../src/guest/timing/compare-timings.js'
import { localSandbox } from '../../helpers/local-sandbox.js'
import { requires } from '../../helpers/requires.js'

const LONG = { timeout: 60_000 }

/** What `python3` really starts: a version manager's script would cost more than all the rest, in every process. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout

async function opened(files: Record<string, string> = {}): Promise<Sandbox> {
  const sandbox = await localSandbox()
  onTestFinished(() => sandbox.close())
  await sandbox.files.write(files)
  const exec: Sandbox['exec'] = (command, options) => {
    const isPython = typeof command === 'object' && 'argv' in command && command.argv[0] === 'python3'
    const argv = isPython ? [python.trim(), ...command.argv.slice(1)] : []
    return sandbox.exec(isPython ? { ...command, argv } : command, options)
  }
  return { ...sandbox, exec }
}

/** The same, with what each process was told. */
async function counted(options: CompareTimingsOptions) {
  const sandbox = await opened()
  const orders: { readonly seconds?: number }[] = []
  const exec: Sandbox['exec'] = (command, options) => {
    if (typeof command === 'object' && 'argv' in command) orders.push(JSON.parse(String(command.stdin)))
    return sandbox.exec(command, options)
  }
  const comparison = await compareTimings({ ...sandbox, exec }, { minTimeMs: 5, repeats: 7, ...options })
  return { ...comparison, orders }
}

const compare = async (options: CompareTimingsOptions, files?: Record<string, string>) =>
  compareTimings(await opened(files), { minTimeMs: 5, repeats: 7, ...options })

describe.runIf(requires('python3'))('Python alternatives', () => {
  test('of which one is clearly faster: it is named, with how much', LONG, async () => {
    const { alternatives, verdict } = await compare({
      language: 'python',
      setup: 'numbers = list(range(2000))\nlookup = set(numbers)',
      alternatives: { list: '1999 in numbers', set: '1999 in lookup' },
    })
    expect(verdict).toMatchObject({ kind: 'fastest', name: 'set' })
    expect(verdict.kind === 'fastest' && verdict.ratio).toBeGreaterThan(5)
    expect(alternatives['set']).toMatchObject({ kind: 'timed', result: 'True' })
    const { set } = alternatives
    if (set?.kind !== 'timed') throw new Error('set was not timed')
    expect(set.samples).toHaveLength(7)
    expect(set.lowMs).toBeLessThanOrEqual(set.medianMs)
    expect(set.iterations).toBeGreaterThan(1000)
  })

  test('that are the same: nothing can be said', LONG, async () => {
    const code = 'sorted(range(300), key=str)'
    const { verdict } = await compare({ language: 'python', alternatives: { one: code, other: code } })
    expect(verdict).toMatchObject({ kind: 'inconclusive' })
    expect(verdict.why).toContain('cannot be told apart')
  })

  test('of which one fails: it is reported and the others are compared', LONG, async () => {
    const { alternatives, verdict } = await compare({
      language: 'python',
      alternatives: {
        broken: 'undefined_name + 1',
        misspelt: 'for in x',
        leaves: 'import os; os._exit(3)',
        quick: 'sum(range(10))',
        slow: 'sum(int(str(n)) for n in range(10)) + 0 * sum(range(5000))',
      },
    })
    expect(alternatives['broken']).toEqual({
      kind: 'failed',
      message: "NameError: name 'undefined_name' is not defined",
    })
    expect(alternatives['misspelt']).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^SyntaxError/),
    })
    expect(alternatives['leaves']).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/without an answer: exit code 3$/),
    })
    expect(verdict).toMatchObject({ kind: 'fastest', name: 'quick' })
    expect(verdict.why).toContain(`"broken" failed: NameError: name 'undefined_name' is not defined.`)
  })

  test('with different results: no winner, unless that does not matter', LONG, async () => {
    const options: CompareTimingsOptions = {
      language: 'python',
      alternatives: { right: 'sum(range(3000))', wrong: '4498501' },
    }
    const { alternatives, verdict } = await compare(options)
    expect(verdict).toEqual({
      kind: 'inconclusive',
      reason: 'different-results',
      why: 'The results differ, so nothing was timed: "right" gives 4498500, "wrong" gives 4498501.',
    })
    expect(alternatives['wrong']).toEqual({ kind: 'untimed', result: '4498501' })
    expect((await compare({ ...options, sameResult: false })).verdict).toMatchObject({ name: 'wrong' })
  })

  test('that print, import from the workspace and change what the setup made', LONG, async () => {
    const { alternatives } = await compare(
      {
        language: 'python',
        setup: 'from solution import twice\ntotal = 0\ntext = """one\n  two"""',
        alternatives: { here: 'total += 1\nprint(total)\ntwice(len(text))', there: 'print("x" * 99)\n18' },
      },
      { 'solution.py': 'def twice(n):\n    return 2 * n\n' },
    )
    expect(alternatives).toMatchObject({
      here: { kind: 'timed', result: '18' },
      there: { kind: 'timed', result: '18' },
    })
  })

  test(
    'that change what they work on have the result of their first run, however often each is run',
    LONG,
    async () => {
      const { alternatives } = await compare({
        language: 'python',
        setup: 'seen = []',
        alternatives: {
          quick: 'seen.append(1)\nlen(seen)',
          slow: 'sum(range(3000))\nseen.append(1)\nlen(seen)',
          grows: 'seen.append(1)\nseen',
        },
      })
      expect(alternatives).toMatchObject({
        quick: { result: '1' },
        slow: { result: '1' },
        grows: { result: '[1]' },
      })
    },
  )

  test('that hang: ended at the limit', LONG, async () => {
    const { alternatives, verdict } = await compare({
      language: 'python',
      wallMs: 5000,
      alternatives: { hangs: 'while True: pass', ends: 'pass' },
    })
    expect(alternatives['hangs']).toEqual({ kind: 'failed', message: 'it took longer than 5000 ms' })
    expect(verdict).toMatchObject({ kind: 'inconclusive', why: expect.stringMatching(/Only "ends" ran/) })
    expect(verdict).toMatchObject({ reason: 'failed', why: expect.stringContaining('than 5000 ms.') })
    expect(alternatives['ends']).toEqual({ kind: 'untimed' })
  })

  test('with different results, or of which only one runs, are run once each', LONG, async () => {
    const differing = await counted({
      language: 'python',
      minTimeMs: 5000,
      alternatives: { two: '2', three: '3', also: '1 + 1' },
    })
    expect(differing.verdict.why).toMatch(/: "two" and "also" give 2, "three" gives 3\.$/)
    expect(differing.orders).toHaveLength(3)
    const alone = await counted({ language: 'python', alternatives: { runs: '2', misspelt: 'for in' } })
    expect(alone.verdict).toMatchObject({ reason: 'failed' })
    expect(alone.verdict.why).toMatch(/^Only "runs" ran; .* "misspelt" failed: SyntaxError: /)
    expect(alone.orders).toHaveLength(2)
  })

  test(
    'of which one fails later on: those left are told, and a lone one is timed no more',
    LONG,
    async () => {
      const { alternatives, verdict, orders } = await counted({
        language: 'python',
        setup: 'import os\nopen("runs", "a").write("x")',
        alternatives: { once: 'assert os.path.getsize("runs") < 4', always: 'pass' },
      })
      expect(alternatives['once']).toEqual({ kind: 'failed', message: 'AssertionError' })
      expect(alternatives['always']).toEqual({ kind: 'untimed' })
      expect(verdict).toMatchObject({ reason: 'failed' })
      expect(orders.length).toBeLessThan(7)
    },
  )

  test('with a least time longer than a trial are tried before they are run that long', LONG, async () => {
    const code = 'sleep(0.005)\nseen.append(1)\nassert len(seen) < 40'
    const { orders, verdict } = await counted({
      language: 'python',
      minTimeMs: 500,
      setup: 'from time import sleep\nseen = []',
      alternatives: { one: code, other: code },
    })
    expect(orders.map(({ seconds }) => seconds)).toEqual([0.02, 0.02, 0.5, 0.5])
    expect(verdict.why).toContain('"one" and "other" failed: AssertionError (<alternative>, line 3).')
  })

  test('that fail say in which line, of the code or of the setup', LONG, async () => {
    const setup = 'import json\ndef read(text):\n  return json.loads(text)'
    const { alternatives } = await compare({
      language: 'python',
      setup,
      alternatives: { code: 'text = "1"\n\ntext.nothing', setup: 'read(0)', syntax: 'pass\nfor in' },
    })
    const line = (text: string) => ({ kind: 'failed', message: expect.stringMatching(text) })
    expect(alternatives).toEqual({
      code: line(/^AttributeError: .* \(<alternative>, line 3\)$/.source),
      setup: line(/^TypeError: .* \(<setup>, line 3\)$/.source),
      syntax: line(/^SyntaxError: .* \(<alternative>, line 2\)$/.source),
    })
    const broken = await compare({ language: 'python', setup: 'x', alternatives: { a: '1', b: '2' } })
    expect(broken.verdict.why).toBe(
      `No alternative ran. "a" and "b" failed: NameError: name 'x' is not defined (<setup>, line 1).`,
    )
  })

  test('that would end the measurement, or only wait, are refused', LONG, async () => {
    const { alternatives } = await compare({
      language: 'python',
      setup: 'async def later(): pass',
      alternatives: { leaves: 'break', returns: 'return 1', yields: 'yield 1', waits: 'later()' },
    })
    const failed = (text: string) => ({ kind: 'failed', message: expect.stringContaining(text) })
    expect(alternatives).toEqual({
      leaves: failed("'break' outside loop"),
      returns: failed("'return' outside function"),
      yields: failed("'yield' outside function"),
      waits: failed('has to be awaited'),
    })
  })

  test('can be called off', async () => {
    const call = compare({
      language: 'python',
      alternatives: { a: '1', b: '1' },
      signal: AbortSignal.abort(),
    })
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('JavaScript alternatives', () => {
  test('are compared in the same way', LONG, async () => {
    const { alternatives, verdict } = await compare({
      language: 'javascript',
      setup: 'const list = Array.from({ length: 3000 }, (_, n) => n); const set = new Set(list)',
      alternatives: { list: 'list.includes(2999)', set: 'set.has(2999)', broken: 'list.nothing()' },
    })
    expect(verdict).toMatchObject({ kind: 'fastest', name: 'set' })
    expect(alternatives).toMatchObject({
      list: { kind: 'timed', result: 'true' },
      broken: { kind: 'failed', message: 'TypeError: list.nothing is not a function' },
    })
  })
})

test(
  'JavaScript that fails says in which line, and what would end the measurement or wait is refused',
  LONG,
  async () => {
    const setup = 'const text = "1"\nconst fail = () => text.nothing()'
    const { alternatives } = await compare({
      language: 'javascript',
      setup,
      alternatives: {
        code: 'const one = 1\none.nothing()',
        setup: 'fail()',
        syntax: 'const one = 1\nfor in',
        leaves: 'break',
        returns: 'return 1',
        waits: 'Promise.resolve(1)',
        throws: '(() => { throw undefined })()',
      },
    })
    const failed = (text: string) => ({ kind: 'failed', message: expect.stringContaining(text) })
    expect(alternatives).toEqual({
      code: failed('one.nothing is not a function (<alternative>, line 2)'),
      setup: failed('text.nothing is not a function (<setup>, line 2)'),
      syntax: failed("Unexpected token 'in' (<alternative>, line 2)"),
      leaves: failed('Illegal break statement (<alternative>, line 1)'),
      returns: failed('Illegal return statement (<alternative>, line 1)'),
      waits: failed('is a promise'),
      throws: failed('it threw undefined'),
    })
  },
)

test('JavaScript that changes what it works on has the result of its first run', LONG, async () => {
  const { alternatives } = await compare({
    language: 'javascript',
    setup: 'const seen = []',
    alternatives: { one: 'seen.push(0) && seen', other: '[seen.push(0) - seen.length]' },
  })
  expect(alternatives).toMatchObject({ one: { result: '[ 0 ]' }, other: { result: '[ 0 ]' } })
})

test.skipIf(!requires('python3'))(
  'code that puts something in the place of the clock is timed by the real one',
  LONG,
  async () => {
    const inPython = await compare({
      language: 'python',
      alternatives: {
        one: 'import time, builtins\ntime.perf_counter = lambda: 0.0\nbuiltins.len = None',
        other: 'pass',
      },
    })
    const inJavaScript = await compare({
      language: 'javascript',
      alternatives: { one: 'performance.now = () => 0; JSON.stringify = () => "0"', other: '1' },
    })
    for (const { alternatives } of [inPython, inJavaScript])
      expect(alternatives).toMatchObject({ one: { kind: 'timed' }, other: { kind: 'timed' } })
  },
)

test('fewer than two alternatives, or an unknown option, are refused', async () => {
  const sandbox = await opened()
  const alone = compareTimings(sandbox, { language: 'python', alternatives: { one: '1' } })
  await expect(alone).rejects.toThrow(/"alternatives": must name at least two alternatives/)
  const misspelt = { language: 'python', alternatives: { a: '1', b: '2' }, repeat: 9 } as const
  await expect(compareTimings(sandbox, misspelt)).rejects.toThrow(/did you mean "repeats"/)
  const refused = (alternatives: object) =>
    expect(compareTimings(sandbox, { language: 'js', alternatives: { ...alternatives } })).rejects
  await refused({ a: '1', b: ' ' }).toThrow(/"alternatives\.b": must hold code, and is empty/)
  await refused({ a: '1', '': '2' }).toThrow(/has a name that is not accepted \(it is empty\)/)
  const list = ['1', '2'] as unknown as Record<string, string>
  const listed = compareTimings(sandbox, { language: 'js', alternatives: list })
  await expect(listed).rejects.toThrow(/must be an object of names and their code.*received an array/)
})
