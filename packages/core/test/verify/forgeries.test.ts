// Every known way to pass without being right. None may pass; each is a real program in real processes.
import { describe, expect, test } from 'vitest'
import { pythonTests } from '../../src/verify/python-tests.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { MEDIAN_TESTS, type ProgramSection, programSections } from '../helpers/program-sections.js'
import { requires } from '../helpers/requires.js'

/** A program whose `median` puts raw bytes on the wire instead of answering. */
const onTheWire = (statement: string): ProgramSection['program'] => ({
  'solution.py': `
import os, pickle, time
WIRE = [int(name) for name in os.listdir('/dev/fd') if int(name) > 2]
def frame(body): return len(body).to_bytes(4, 'big') + body
def put(data):
    for descriptor in WIRE:
        try: os.write(descriptor, data)
        except OSError: pass
def median(xs):
    ${statement}
    time.sleep(9)
`,
})
const message = (json: string): string => `put(frame(b'${json}'))`

const wireForgeries: readonly ProgramSection[] = Object.entries({
  'sends what is not JSON': message('nonsense'),
  'sends a value of an unknown tag': message('["ok",[],["zz",1]]'),
  'sends a JSON object as a value': message('["ok",[],{"a":1}]'),
  'sends a message of an unknown kind': message('["verdict",[],"pass"]'),
  'sends an empty message': message('[]'),
  'sends a message that is no list': message('{"nonce":1}'),
  'sends data nested a hundred thousand deep': "put(frame(b'[' * 100000 + b']' * 100000))",
  'announces a message of four gigabytes': "put(b'\\xff\\xff\\xff\\xff' + b'x' * 1000)",
  'sends an integer of a million digits': `put(frame(b'["ok",[],' + b'9' * 1000000 + b']'))`,
  'changes a container that was never shared': message('["ok",[[4242,[1]]],2]'),
  'changes a container into another kind': message('["ok",[[4,{"a":1}]],2]'),
  'names a class that it never described': message('["ok",[],["h",7,["C",99]]]'),
  'describes a class of the tests anew': message('["ok",[],["C",true,"int","builtins",[],[]]]'),
  'sends an exception that is none': message('["x",[],5]'),
  'throws an exception that the tests never raised': message(
    '["x",[],["E",1,["T","ValueError"],[],"",999,null]]',
  ),
  'sends a pickle': 'put(frame(pickle.dumps(2)))',
  'sends two answers at once': `put(frame(b'["ok",[],2]') * 2)`,
  'sends a namedtuple with code for a name': message('["ok",[],["n",[3,"x; import os",["a"],[]],[1]]]'),
  'sends a class that is a function': message('["ok",[],["T","eval"]]'),
}).map(([name, statement]) => ({
  name,
  program: onTheWire(statement),
  tests: 'from solution import median\nassert median([3, 1, 2]) == 2\nassert median([9]) == 9\n',
  kind: 'early-exit',
}))

describe.runIf(requires('python3'))('A program that', () => {
  test.concurrent.for([...programSections('forgeries'), ...wireForgeries])(
    '$name does not pass',
    { timeout: 60_000 },
    async ({ program, tests = MEDIAN_TESTS, kind, wallMs = 20_000 }) => {
      const verdict = await verdictOn(pythonTests(tests, { limits: { wallMs } }), program)

      expect(verdict.status).not.toBe('pass')
      expect(verdict.failures.length).toBeGreaterThan(0)
      expect(verdict.integrity).toBe('separate')
      expect(verdict.lost).toBeUndefined()
      if (kind !== undefined) expect(verdict.failures[0]?.kind).toBe(kind)
    },
  )

  test('is right passes the same tests', async () => {
    const right =
      'def median(xs):\n    s = sorted(xs)\n    n = len(s)\n    return (s[(n - 1) // 2] + s[n // 2]) / 2\n'

    expect(await verdictOn(pythonTests(MEDIAN_TESTS), right)).toMatchObject({ status: 'pass', failures: [] })
  })
})
