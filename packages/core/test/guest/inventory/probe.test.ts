// Probes: which replies call for one, and that what they state was found by trying.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import { BUILT_IN_PROBES } from '../../../src/guest/inventory/built-in-probes.js'
import {
  defineProbe,
  matchingProbes,
  type Probe,
  type ProbeFinding,
  runProbe,
} from '../../../src/guest/inventory/probe.js'
import { localSandbox } from '../../helpers/local-sandbox.js'
import { onPosix, requires } from '../../helpers/requires.js'

// A machine may be busy.
vi.setConfig({ testTimeout: 60_000 })

async function opened(): Promise<Sandbox> {
  const sandbox = await localSandbox()
  onTestFinished(() => sandbox.close())
  return sandbox
}

const builtIn = (capability: string): Probe => {
  const probe = BUILT_IN_PROBES.find((one) => one.capability === capability)
  if (probe === undefined) throw new Error(`no probe "${capability}"`)
  return probe
}

test.each([
  ["I'm sorry, but I can't run code in this chat.", ['run']],
  ['I cannot execute Python here. Here is what I would do.', ['run']],
  ['As a language model, I don’t have the ability to draw a plot.', ['plot']],
  ['I am unable to open the attached file `data.csv`.', ['files']],
  ['I do not have access to the internet, so no prices.', ['network']],
  ["It isn't possible… I can't unzip it, nor open the image.", ['zip', 'images']],
  ['Unfortunately I have no way to query an SQLite database.', ['sqlite']],
  ['Here is a plot. I can run code as well.', []],
  ['The sum cannot be negative. The plot shows it.', []],
  ['```python\n# cannot open file\nraise OSError("cannot read file")\n```', []],
  ['', []],
])('%j calls for %j', (reply, expected) => {
  expect(matchingProbes(reply, BUILT_IN_PROBES).map(({ capability }) => capability)).toEqual(expected)
})

describe.runIf(requires('python3'))('The built-in probe', () => {
  test.each(BUILT_IN_PROBES.map(({ capability }) => capability))(
    '%s states a fact and leaves nothing in the workspace',
    async (capability) => {
      const sandbox = await opened()
      const result = await runProbe(sandbox, builtIn(capability))
      expect(result.capability).toBe(capability)
      expect(result.fact).toMatch(/\.$/)
      if (['run', 'files', 'zip', 'sqlite'].includes(capability)) expect(result.works).toBe(true)
      expect(await sandbox.files.list()).toEqual([])
    },
  )

  test('of files names those of the workspace', async () => {
    const sandbox = await opened()
    await sandbox.files.write({ 'data.csv': 'name,age\nAda,36\n', 'blob.bin': new Uint8Array([255, 0, 254]) })
    const { fact } = await runProbe(sandbox, builtIn('files'))
    expect(fact).toContain('blob.bin (3 bytes)')
    expect(fact).toContain('data.csv (16 bytes, begins with "name,age")')
  })

  test('says so when what it tries does not work', async () => {
    const sandbox = await opened()
    const without: Sandbox = {
      ...sandbox,
      exec: (_command, options) => sandbox.exec(['python3', '-c', 'import no_such_thing'], options),
    }
    const result = await runProbe(without, builtIn('plot'))
    expect(result.works).toBe(false)
    expect(result.fact).toMatch(
      /ended with exit code 1: ModuleNotFoundError: No module named 'no_such_thing'/,
    )
  })
})

describe('A probe of your own', () => {
  const probe = defineProbe({
    capability: 'shell',
    matches: (reply) => reply.includes('no shell'),
    command: 'echo shell',
    read: ({ stdout }) => ({ works: stdout.text === 'shell\n', fact: 'A shell ran.' }),
  })

  test.runIf(onPosix('inventories'))('is run like the others', async () => {
    expect(matchingProbes('I have no shell', [...BUILT_IN_PROBES, probe])).toEqual([probe])
    expect(await runProbe(await opened(), probe)).toEqual({
      capability: 'shell',
      works: true,
      fact: 'A shell ran.',
    })
  })

  test('takes the place of a built-in one of the same capability', () => {
    const mine = defineProbe({ ...probe, capability: 'run', matches: () => true })
    expect(matchingProbes("I can't run code.", [...BUILT_IN_PROBES, mine])).toEqual([mine])
  })

  test('that breaks harms nothing', async () => {
    const breaks = (): never => {
      throw new Error('broken')
    }
    expect(matchingProbes('anything', [{ ...probe, matches: breaks }])).toEqual([])
    expect(await runProbe(await opened(), { ...probe, command: ['node', '-v'], read: breaks })).toMatchObject(
      {
        works: false,
        fact: 'It was tried here and ended with exit code 0.',
      },
    )
  })

  test.each<[string, unknown, string]>([
    ['a text', 'not found', 'must give { works, fact }, or undefined (received "not found")'],
    ['null', null, 'must give { works, fact }, or undefined (received null)'],
    [
      'a misspelt part',
      { work: true, fact: 'It does.' },
      'option "works": must be a boolean (received nothing)',
    ],
    ['a fact without words', { works: true, fact: '' }, 'option "fact": must not be empty'],
  ])('is told so when it reads %s', async (_, finding, words) => {
    const reads = { ...probe, command: ['node', '-v'], read: () => finding as ProbeFinding }
    await expect(runProbe(await opened(), reads)).rejects.toThrow(`read() of the probe "shell": ${words}`)
  })

  test('may have parts of its own, as has what it finds', async () => {
    class Counting {
      readonly capability = 'count'
      readonly command = ['node', '-v']
      runs = 0
      matches(): boolean {
        return true
      }
      read() {
        return { works: true, fact: `It ran ${++this.runs} times.`, runs: this.runs }
      }
    }
    expect(await runProbe(await opened(), new Counting())).toEqual({
      capability: 'count',
      works: true,
      fact: 'It ran 1 times.',
    })
  })

  test.each([
    ['the name of one', 'network', 'must be a probe, such as one of BUILT_IN_PROBES (received "network")'],
    ['nothing', undefined, 'must be a probe'],
    [
      'one without a command',
      { capability: 'x', matches: () => true, read: () => undefined },
      'option "command"',
    ],
  ])('is not %s', async (_, given, words) => {
    const run = runProbe(await opened(), given as unknown as Probe)
    await expect(run).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(words),
    })
  })

  test('is refused when a part is missing', () => {
    const { read: _read, ...incomplete } = probe
    expect(() => defineProbe(incomplete as Probe)).toThrow(/defineProbe\(\): option "read"/)
  })
})
