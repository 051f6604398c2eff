import type { ProcessOutput, SandboxProcess } from '@mendloop/core'
import { expect, test } from 'vitest'
import { openSandbox } from './helpers/open-sandbox.js'

const echo = [
  'python3',
  '-c',
  'import sys\nfor line in sys.stdin: print("got", line, end="")\nprint("end", file=sys.stderr)',
]

async function allOutput(process: SandboxProcess): Promise<Record<ProcessOutput['stream'], string>> {
  const text = { stdout: '', stderr: '' }
  for await (const { stream, data } of process.output) text[stream] += Buffer.from(data).toString('latin1')
  return text
}

test('a process takes input piece by piece and answers as it goes', async () => {
  const sandbox = await openSandbox()
  const child = await sandbox.spawn?.(echo)
  if (child === undefined) throw new Error('no spawn')
  const output = child.output[Symbol.asyncIterator]()
  await child.write('eins ✓\n')
  expect(await output.next()).toMatchObject({ value: { stream: 'stdout' } })
  await child.write(Buffer.from('zwei\n'))
  child.end()
  let rest = ''
  for (let next = await output.next(); !next.done; next = await output.next())
    rest += Buffer.from(next.value.data).toString()
  expect(rest).toContain('zwei')
  expect(rest).toContain('end')
  expect(await child.outcome).toEqual({ kind: 'exit', code: 0 })
})

test('what nobody reads waits in the program, and all of it comes when somebody does', async () => {
  const sandbox = await openSandbox()
  const child = await sandbox.spawn?.(['python3', '-c', 'print("x" * 20_000_000)'], {
    limits: { wallMs: 14_000 },
  })
  if (child === undefined) throw new Error('no spawn')
  expect((await allOutput(child)).stdout).toHaveLength(20_000_001)
  expect(await child.outcome).toMatchObject({ kind: 'exit', code: 0 })
})

test('a process that is killed, aborted, or runs out of time says which', async () => {
  const sandbox = await openSandbox()
  const controller = new AbortController()
  const [killed, aborted, late] = await Promise.all([
    sandbox.spawn?.('sleep 60'),
    sandbox.spawn?.('sleep 60', { signal: controller.signal }),
    sandbox.spawn?.('sleep 60', { limits: { wallMs: 300 } }),
  ])
  killed?.kill()
  controller.abort()
  expect(await killed?.outcome).toEqual({ kind: 'aborted' })
  expect(await aborted?.outcome).toEqual({ kind: 'aborted' })
  expect(await late?.outcome).toEqual({ kind: 'timeout', clock: 'wall', limitMs: 300 })
})

test('closing the sandbox ends its processes and their output', async () => {
  const sandbox = await openSandbox()
  const child = await sandbox.spawn?.('echo ready; sleep 60', { limits: { wallMs: 60_000 } })
  if (child === undefined) throw new Error('no spawn')
  const output = allOutput(child)
  await sandbox.close()
  expect(await child.outcome).toEqual({ kind: 'aborted' })
  expect((await output).stderr).toBe('')
})
