import { getEventListeners } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { subprocess } from '../src/index.js'
import { openSandbox } from './helpers/open-sandbox.js'

const longProgram = 'echo ready; sleep 60'
const patient = { limits: { wallMs: 60_000 } }

/** Runs a long program and resolves once it has started. */
async function started(sandbox: Awaited<ReturnType<typeof openSandbox>>, signal?: AbortSignal) {
  let ready = (): void => undefined
  const isReady = new Promise<void>((resolve) => {
    ready = resolve
  })
  const result = sandbox.exec(longProgram, { ...patient, ...(signal && { signal }), onOutput: ready })
  await isReady
  return { result }
}

test('each sandbox has a folder of its own that only this user can enter', async () => {
  const [one, two] = [await openSandbox(), await openSandbox()]
  expect(one.workdir).not.toBe(two.workdir)
  expect(one.id).not.toBe(two.id)
  expect((await one.exec('pwd; stat -c %a . .. 2>/dev/null || stat -f %Lp . ..')).stdout.text).toBe(
    `${one.workdir}\n700\n700\n`,
  )
})

test('closing kills what runs, removes everything, and may be done twice', async () => {
  const sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create()
  const { result } = await started(sandbox)
  await Promise.all([sandbox.close(), sandbox.close()])
  expect((await result).outcome).toEqual({ kind: 'aborted' })
  expect((await result).stdout.text).toBe('ready\n')
  expect(existsSync(`${sandbox.workdir}/..`)).toBe(false)
  await sandbox.close()
})

test('closing removes folders without rights and paths longer than the system can name', async () => {
  const sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create()
  const deep =
    'import os\nfor _ in range(60):\n  os.mkdir("d" * 100); os.chdir("d" * 100)\nopen("f", "w").close()'
  expect(await sandbox.exec(['python3', '-c', deep])).toMatchObject({ ok: true })
  await sandbox.exec(
    'mkdir -p locked/inner; touch locked/inner/f; chmod 000 locked/inner locked; chmod 500 .',
  )
  await sandbox.close()
  expect(existsSync(`${sandbox.workdir}/..`)).toBe(false)
})

test('a closed sandbox says so', async () => {
  const sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create()
  await sandbox[Symbol.asyncDispose]()
  const closed = { code: 'SANDBOX_CLOSED', details: { sandbox: sandbox.id } }
  await expect(sandbox.exec('true')).rejects.toMatchObject(closed)
  await expect(sandbox.files.write({ a: '' })).rejects.toMatchObject(closed)
  await expect(sandbox.files.read('a')).rejects.toMatchObject(closed)
  await expect(sandbox.files.list()).rejects.toMatchObject(closed)
})

test('an abort during a run kills it and keeps what was printed', async () => {
  const sandbox = await openSandbox()
  const controller = new AbortController()
  const { result } = await started(sandbox, controller.signal)
  controller.abort()
  expect(await result).toMatchObject({ outcome: { kind: 'aborted' }, ok: false, stdout: { text: 'ready\n' } })
  expect(await sandbox.exec('echo usable')).toMatchObject({ ok: true })
})

test('an abort before the run starts nothing, and one after it changes nothing', async () => {
  const sandbox = await openSandbox()
  const before = await sandbox.exec('touch ran', { signal: AbortSignal.abort() })
  expect(before).toMatchObject({ outcome: { kind: 'aborted' }, ok: false, changes: [] })
  expect(await sandbox.files.list()).toEqual([])
  const controller = new AbortController()
  const result = await sandbox.exec('true', { signal: controller.signal })
  controller.abort()
  expect(result.outcome).toEqual({ kind: 'exit', code: 0 })
})

test('aborting the signal of a sandbox closes it', async () => {
  const controller = new AbortController()
  const sandbox = await openSandbox({}, { signal: controller.signal })
  const { result } = await started(sandbox)
  controller.abort()
  expect((await result).outcome).toEqual({ kind: 'aborted' })
  await sandbox.close()
  expect(existsSync(sandbox.workdir)).toBe(false)
})

test('five hundred runs with one signal leave no listener, no timer and no descriptor behind', async () => {
  const controller = new AbortController()
  const sandbox = await openSandbox({}, { signal: controller.signal })
  const descriptors = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)
  await sandbox.exec('true', { signal: controller.signal })
  const listenersBefore = getEventListeners(controller.signal, 'abort').length
  const descriptorsBefore = descriptors()
  for (let round = 0; round < 125; round++)
    await Promise.all(Array.from({ length: 4 }, () => sandbox.exec(['true'], { signal: controller.signal })))
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(listenersBefore)
  await delay(100)
  expect(
    process.getActiveResourcesInfo().filter((kind) => kind === 'ChildProcess' || kind === 'ProcessWrap')
      .length,
  ).toBeLessThan(3)
  expect(descriptors()).toBeLessThanOrEqual(descriptorsBefore + 2)
  await sandbox.close()
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
}, 60_000)
