// What `runProgram` gives back of what a program left: what was asked for first, and nothing untold.
import type { Sandbox } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunnerEnd } from '../../../src/contract/fork-runner.js'
import { checkOptions, checkProgram } from '../../../src/guest/runner/program-run.js'
import { runInRunner } from '../../../src/guest/runner/run-in-runner.js'
import { runProgram } from '../../../src/guest/runner/run-program.js'
import { limitsInEffect } from '../../../src/sandbox/limits-in-effect.js'
import { onLinux, requires } from '../../helpers/requires.js'
import { withoutSpawn } from '../../helpers/without-spawn.js'

describe.runIf(requires('python3') && onLinux('the fork runner'))('of what a program left', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create({
      limits: { wallMs: 30_000 },
    })
  })
  afterAll(() => sandbox.close())

  test('what was asked for by name comes before all others, and all changes are told', async () => {
    const source = `import os
for n in range(1500): open(f'{n:04}', 'w').write('x')
os.mkdir('zz')
open('zz/result.json', 'w').write('{}')`
    const result = await runProgram(sandbox, source, { collect: ['zz/result.json', 'zz', '0003'] })
    expect(Object.keys(result.files).sort()).toEqual(['0003', 'zz/result.json'])
    expect(result.changes).toHaveLength(1501)
    expect(result.changes.every(({ kind }) => kind === 'created')).toBe(true)
    expect(result.withheld).toHaveLength(501)
    expect(result).not.toHaveProperty('missing')
    expect(result).not.toHaveProperty('unseen')
  })

  test('without a runner as well', async () => {
    const source = `for n in range(1100): open(f'{n:04}', 'w').write('x')
open('zz', 'w').write('{}')`
    const plain = withoutSpawn(sandbox)
    const { files, engine, withheld, missing } = await runProgram(plain, source, { collect: ['zz', '0003'] })
    expect([Object.keys(files).sort(), engine, missing]).toEqual([['0003', 'zz'], 'process', undefined])
    expect(withheld).toHaveLength(101)
  })

  test('the bytes that there is room for are first those of what was asked for', async () => {
    const source = `for name in 'ab': open(name, 'wb').truncate(40 << 20)
open('small', 'w').write('s')`
    const { files, withheld } = await runProgram(sandbox, source, {
      collect: ['small', 'b'],
      limits: { fileBytes: 1 << 30 },
    })
    expect(Object.keys(files).sort()).toEqual(['b', 'small'])
    expect(withheld).toEqual(['a'])
  })

  test('what is too deep is told as not looked at, and nothing of it as missing or deleted', async () => {
    const deep = Array.from({ length: 66 }, () => 'd').join('/')
    const source = `import os
os.makedirs('${deep}', exist_ok=True)
open('${deep}/there', 'w')
open('kept', 'w')`
    const { unseen, missing, changes } = await runProgram(
      sandbox,
      { files: { 'main.py': source, [`${deep}/given`]: 'g' }, entry: 'main.py' },
      { collect: [`${deep}/x`, 'nowhere', 'kept'] },
    )
    expect(unseen).toEqual([{ path: deep.slice(0, 2 * 65 - 1), reason: 'too-deep' }])
    expect(missing).toEqual(['nowhere'])
    expect(changes.map(({ path, kind }) => [path, kind])).toEqual([['kept', 'created']])
  })

  test('names that are not UTF-8 come back, and are asked for by what they are told as', async () => {
    const source = `import os
open(b'a\\xff', 'w').write('name')
os.mkdir(b'd\\xfe')
open(b'd\\xfe/x', 'w').write('folder')`
    const all = await runProgram(sandbox, source, { collect: true })
    expect(Object.keys(all.files)).toEqual(['a\udcff', 'd\udcfe/x'])
    expect(all.withheld).toEqual([])
    const some = await runProgram(sandbox, source, { collect: ['a\udcff', 'd\udcfe', 'b\udcff'] })
    expect(Object.values(some.files).map((bytes) => Buffer.from(bytes).toString())).toEqual([
      'name',
      'folder',
    ])
    expect(some.missing).toEqual(['b\udcff'])
    for (const path of ['a\ud800', '../a\udcff', './a\udcff'])
      await expect(runProgram(sandbox, source, { collect: [path] })).rejects.toMatchObject({
        code: 'PATH_REFUSED',
      })
  })

  test('an abort while it is looked at leaves the outcome, and calls nothing missing or deleted', async () => {
    const paths = Array.from({ length: 900 }, (_, n) => `f${n}`)
    const controller = new AbortController()
    const result = await runProgram(
      sandbox,
      {
        files: {
          'main.py': 'for n in range(900): open(f"f{n}", "wb").write(b"x" * 60000)\nprint("done")',
          given: 'g',
        },
      },
      {
        collect: [...paths, 'nowhere'],
        signal: controller.signal,
        onOutput: () => void setTimeout(() => controller.abort(), 30),
      },
    )
    expect(result.outcome).toEqual({ kind: 'exit', code: 0 })
    expect(result.changes.every(({ kind }) => kind === 'created')).toBe(true)
    // On a fast machine all has been seen by then.
    if (result.unseen === undefined) expect(Object.keys(result.files)).toHaveLength(900)
    else expect(result.unseen).toEqual([{ path: '.', reason: 'aborted' }])
    expect(result.missing).toEqual(result.unseen === undefined ? ['nowhere'] : undefined)
  })
})

describe('a look at files that is cut', () => {
  const guarantees = { memory: 'none', pids: 'none', disk: 'none' } as Sandbox['guarantees']
  const limits = limitsInEffect({ limits: {} } as Sandbox, {})

  /** Aborts once the program is gone, or before; its execution ends in that way when it is killed. */
  async function aborted(isGone: boolean, end: RunnerEnd) {
    const controller = new AbortController()
    const options = checkOptions({ collect: ['a', 'b/c'], signal: controller.signal })
    let kill = (): void => undefined
    const ended = new Promise<RunnerEnd>((resolve) => {
      kill = () => resolve(end)
    })
    const gone = isGone ? Promise.resolve() : ended.then(() => undefined)
    const start = () => ({ kill, ended, gone })
    const run = runInRunner(
      { runner: { start }, environment: {} } as never,
      checkProgram('print(1)'),
      options,
      { guarantees, limits },
    )
    setTimeout(() => controller.abort(), 0)
    return await run
  }

  test('an abort after its end leaves the outcome, and says what was not looked at', async () => {
    const unseen = [{ path: 'b', reason: 'aborted' }]
    const how = { kind: 'exit', code: 3 }
    const end = { how, durationMs: 1, leftover: false, unseen } as RunnerEnd
    expect(await aborted(true, end)).toMatchObject({ outcome: how, unseen, missing: ['a'] })
    expect(await aborted(false, end)).toMatchObject({ outcome: how, unseen, missing: ['a'] })
  })

  test('of one that was killed or lost the outcome is told, and nothing as missing', async () => {
    const all = [{ path: '.', reason: 'aborted' }]
    const killed = { kind: 'signal', signal: 'SIGKILL' }
    const end = { durationMs: 1, leftover: false }
    const first = await aborted(false, { ...end, how: killed, unseen: all } as RunnerEnd)
    expect(first).toMatchObject({ outcome: { kind: 'aborted' }, unseen: all })
    const lost = { kind: 'lost', cause: 'it was closed', started: true }
    const second = await aborted(true, { ...end, how: lost } as RunnerEnd)
    expect(second).toMatchObject({ outcome: { kind: 'aborted' }, unseen: all })
    for (const one of [first, second]) expect(one).not.toHaveProperty('missing')
  })
})
