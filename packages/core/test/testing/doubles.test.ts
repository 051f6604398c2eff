import { expect, test } from 'vitest'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const request = (signal: AbortSignal = new AbortController().signal) => ({
  messages: [{ role: 'user' as const, content: 'hello' }],
  signal,
})

test('a scripted model gives its replies in order, records the calls and streams the text', async () => {
  const model = scriptedModel(['one\ntwo\n', { text: 'three', finish: 'length' }])
  const heard: string[] = []
  expect(await model.generate({ ...request(), onDelta: (text) => heard.push(text) })).toMatchObject({
    text: 'one\ntwo\n',
    finish: 'stop',
    usage: { estimated: true },
  })
  expect(heard).toEqual(['one\n', 'two\n'])
  expect(await model.generate(request())).toMatchObject({ text: 'three', finish: 'length' })
  expect(model.calls).toHaveLength(2)
  model.assertUsedUp()
})

test('a scripted model refuses a call past its end, and says so when a step is left', async () => {
  const model = scriptedModel(['only'])
  expect(() => model.assertUsedUp()).toThrow(/asked 0 of 1 times/)
  await model.generate(request())
  await expect(model.generate(request())).rejects.toMatchObject({ code: 'RECORDING_EXHAUSTED' })
})

test('a scripted error is thrown, and an aborted request answers with an abort', async () => {
  const model = scriptedModel([new Error('503'), 'never given'])
  await expect(model.generate(request())).rejects.toThrow('503')
  await expect(model.generate(request(AbortSignal.abort()))).rejects.toMatchObject({ code: 'ABORTED' })
})

test('a memory sandbox keeps files as a workspace does', async () => {
  await using sandbox = await memorySandbox().create()
  await sandbox.files.write({ 'b/./c.txt': 'text', a: new Uint8Array([1, 2]) })
  expect(await sandbox.files.list()).toEqual([
    { path: 'a', sizeBytes: 2 },
    { path: 'b/c.txt', sizeBytes: 4 },
  ])
  expect(await sandbox.files.readText('b/c.txt')).toBe('text')
  expect(await sandbox.files.stat('nothing')).toBeUndefined()
  await expect(sandbox.files.read('nothing')).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  await expect(sandbox.files.write({ ok: 'x', '../out': 'x' })).rejects.toMatchObject({
    code: 'PATH_REFUSED',
  })
  expect(await sandbox.files.stat('ok')).toBeUndefined()
  await sandbox.files.remove('b')
  expect(await sandbox.files.list()).toHaveLength(1)
})

test('a memory sandbox does what its script says, and nothing once it is closed', async () => {
  const provider = memorySandbox(({ files }) => ({
    stdout: `saw ${Object.keys(files).join()}`,
    writes: { out: 'x' },
  }))
  const sandbox = await provider.create()
  await sandbox.files.write({ in: '1' })
  const result = await sandbox.exec(['run'])
  expect(result).toMatchObject({ ok: true, outcome: { kind: 'exit', code: 0 } })
  expect(result.stdout.text).toBe('saw in')
  expect(await sandbox.files.readText('out')).toBe('x')
  expect(provider.open).toBe(1)
  await sandbox.close()
  await sandbox.close()
  expect(provider.open).toBe(0)
  await expect(sandbox.exec(['run'])).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
})
