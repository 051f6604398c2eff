// jsonOutput with a file: what the program wrote, not what lies there; and values too deep to be written out.
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { verifyOnce } from '../../src/repair/verify-once.js'
import { jsonOutput } from '../../src/verify/json-output.js'
import { requires } from '../helpers/requires.js'

const sandbox = subprocess({ isolation: 'process', minimum: 'process' })
const check = jsonOutput(z.object({ n: z.literal(2) }), { path: 'out.json' })
const TIMEOUT = { timeout: 60_000 }
const WRITES = 'import json\nwith open("out.json", "w") as file: json.dump({"n": 2, "by": "program"}, file)\n'

async function verdictOf(
  files: Readonly<Record<string, string>>,
  task: { files?: Record<string, string>; outputs?: string[] } = {},
  verifier = check,
) {
  const candidate = { files, entry: 'solution.py' }
  const { verdicts } = await verifyOnce({
    candidate,
    language: 'python',
    sandbox,
    verify: [verifier],
    ...task,
  })
  return verdicts[0]
}

describe.runIf(requires('python3'))('jsonOutput of a file', TIMEOUT, () => {
  test('takes an input that the program updates when it is among the outputs', async () => {
    const inputs = { 'out.json': '{"n":1}' }

    expect(
      await verdictOf({ 'solution.py': WRITES }, { files: inputs, outputs: ['out.json'] }),
    ).toMatchObject({ status: 'pass' })
    expect(await verdictOf({ 'solution.py': WRITES }, { files: inputs })).toMatchObject({
      status: 'fail',
      failures: [
        { kind: 'output', message: expect.stringContaining('unless the task names them in `outputs`') },
      ],
    })
  })

  test('does not pass an input that is right and was not written', async () => {
    const verdict = await verdictOf({ 'solution.py': 'x = 1\n' }, { files: { 'out.json': '{"n":2}' } })

    expect(verdict).toMatchObject({
      status: 'fail',
      failures: [{ kind: 'output', message: 'The program did not write the file out.json.' }],
    })
  })

  test.for([
    ['writes nothing', 'x = 1\n', 'did not write the file'],
    ['writes it too', WRITES, 'is not there any more'],
  ] as const)('does not pass a file that came with a program that %s', async ([, program, message]) => {
    const verdict = await verdictOf({ 'solution.py': program, './out.json': '{"n":2}' })

    expect(verdict).toMatchObject({ status: 'fail', failures: [{ kind: 'output' }] })
    expect(verdict?.failures[0]?.message).toContain(message)
    expect(verdict?.failures[0]?.message).toContain('leave it out of them')
  })

  test('does not pass a file that the program takes away', async () => {
    const removes = { 'solution.py': 'import os\nos.remove("out.json")\n' }

    expect(await verdictOf(removes, { files: { 'out.json': '{"n":2}' } })).toMatchObject({
      status: 'fail',
      failures: [{ message: 'The program did not write the file out.json.' }],
    })
  })
})

describe.runIf(requires('python3'))('jsonOutput of a value that cannot be written out', TIMEOUT, () => {
  const deep = { 'solution.py': 'print("[" * 100000 + "]" * 100000)\n' }
  const nested: z.ZodType = z.lazy(() => z.array(nested))

  test('fails one that is too deep, and shows where it begins', async () => {
    const verdict = await verdictOf(deep, {}, jsonOutput(z.number()))

    expect(verdict).toMatchObject({
      status: 'fail',
      failures: [{ kind: 'schema', expected: 'number', actual: expect.stringMatching(/^\[{299}…$/u) }],
    })
  })

  test('fails one that is too deep for a schema which refers to itself', async () => {
    expect(await verdictOf(deep, {}, jsonOutput(nested))).toMatchObject({
      status: 'fail',
      failures: [{ message: 'The value in standard output is nested too deeply.' }],
    })
  })

  test('shows a value as it is where there is room', async () => {
    const program =
      'import json\nprint(json.dumps({"a": [1, None, {"b": "x\\"", "__proto__": []}], "c": True}))\n'
    const verdict = await verdictOf({ 'solution.py': program }, {}, jsonOutput(z.number()))

    expect(verdict?.failures[0]?.actual).toBe('{"a":[1,null,{"b":"x\\"","__proto__":[]}],"c":true}')
  })

  test('shows a large value cut', async () => {
    const program = 'import json\nprint(json.dumps([{"a" * 500: 1}] * 300))\n'
    const verdict = await verdictOf({ 'solution.py': program }, {}, jsonOutput(z.number()))

    expect(verdict?.failures[0]?.actual).toMatch(/^\[\{"a{296}…$/u)
  })
})
