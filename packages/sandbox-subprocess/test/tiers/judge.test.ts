// What decides about a program holds in each tier: the judge that a right program passes is the one no other can pass.
import { createRepairLoop, type Failure, pythonTests, type Sandbox, type Verdict } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEDIAN_TESTS, programSections } from '../../../core/test/helpers/program-sections.js'
import { requires } from '../../../core/test/helpers/requires.js'
import { subprocess } from '../../src/index.js'
import { workingTiers } from '../helpers/tiers.js'

const RIGHT = `def median(xs):
    xs = sorted(xs)
    middle = len(xs) // 2
    return xs[middle] if len(xs) % 2 else (xs[middle - 1] + xs[middle]) / 2
`

/** Attempts of each kind to be believed; the programs are core's own fixtures. */
const FORGERIES = [
  'calls sys.exit(0) at import',
  'calls os._exit(0) at import',
  'calls os._exit(0) in the function',
  'prints a report and leaves',
  'writes to the descriptors of its parent',
  'patches builtins',
  'patches unittest and the test runner in its process',
  'reads what /proc tells of its parent',
  'looks for the tests in the working directory and in temporary folders',
  'kills its parent',
  'stops its parent',
]

const forgeries = programSections('forgeries').filter(({ name }) => FORGERIES.includes(name))

/** Returns what of the judge it can open, trace, read or change. */
const SNOOP = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
JUDGE = os.getppid()
def opened(name, flags):
    try:
        os.close(os.open('/proc/%d/%s' % (JUDGE, name), flags))
        return [name]
    except OSError:
        return []
def reached():
    found = opened('environ', os.O_RDONLY) + opened('maps', os.O_RDONLY) + opened('root', os.O_RDONLY)
    found += opened('mem', os.O_RDONLY) + opened('mem', os.O_RDWR)
    for number in range(32):
        found += opened('fd/%d' % number, os.O_RDONLY) + opened('fd/%d' % number, os.O_WRONLY)
    if libc.ptrace(16, JUDGE, None, None) == 0:
        found.append('ptrace')
    held = ctypes.create_string_buffer(8)
    here, there = (ctypes.c_void_p * 2)(ctypes.addressof(held), 8), (ctypes.c_void_p * 2)(id(None), 8)
    for name in ('process_vm_readv', 'process_vm_writev'):
        if getattr(libc, name)(JUDGE, here, 1, there, 1, 0) == 8:
            found.append(name)
    return found
`

test('every forgery that is named here is one of the fixtures', () => {
  expect(forgeries.map(({ name }) => name).sort()).toEqual([...FORGERIES].sort())
})

const tiers = process.platform === 'linux' && requires('python3') ? [...workingTiers, 'process' as const] : []

describe.each(tiers)('in the "%s" tier', (tier) => {
  const provider = subprocess({ isolation: tier, minimum: tier })
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await provider.create()
  })
  afterAll(() => sandbox.close())

  const verdictOn = (
    program: Readonly<Record<string, string>>,
    tests: string,
    wallMs = 10_000,
  ): Promise<Verdict> =>
    pythonTests(tests, { limits: { wallMs } }).verify({
      candidate: { files: program, entry: 'solution.py' },
      language: 'python',
      sandbox,
      run: () => sandbox.exec(['python3', 'solution.py']),
      exec: (command, options) => sandbox.exec(command, options),
      signal: new AbortController().signal,
    })

  test.each(forgeries)(
    'a program that $name does not pass',
    async ({ program, tests = MEDIAN_TESTS, kind, wallMs }) => {
      const { status, failures, integrity } = await verdictOn(program, tests, wallMs)
      expect(status).not.toBe('pass')
      expect(integrity).toBe('separate')
      expect(failures.length).toBeGreaterThan(0)
      if (kind !== undefined) expect(failures.map((one: Failure) => one.kind)).toContain(kind)
    },
  )

  test('the judge cannot be opened, traced, read or changed by the program', async () => {
    const tests = 'from solution import reached\nassert reached() == []\n'
    expect(await verdictOn({ 'solution.py': SNOOP }, tests)).toMatchObject({ status: 'pass', failures: [] })
  })

  test('a loop turns forgeries down, and takes the right program that comes after them', async () => {
    const leaving = 'import sys\nsys.exit(0)\n'
    const printing = 'print(\'{"passed": 2, "failed": 0}\')\ndef median(xs):\n    return 2\n'
    const loop = createRepairLoop({
      model: scriptedModel([leaving, printing, RIGHT].map((source) => `\`\`\`python\n${source}\`\`\``)),
      sandbox: provider,
    })
    const result = await loop.run({
      goal: 'Write median(xs) in solution.py.',
      language: 'python',
      verify: [pythonTests(MEDIAN_TESTS)],
      limits: { wallMs: 20_000 },
    })
    expect(result.attempts.map(({ passed }) => passed)).toEqual([false, false, true])
    expect(result.status).toBe('verified')
  })
})
