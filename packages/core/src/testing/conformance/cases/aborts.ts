// Promises about a caller who has changed their mind.

import type { ExecutionResult } from '../../../contract/execution.js'
import type { Sandbox } from '../../../contract/sandbox.js'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, refused, succeeded, within } from '../expectations.js'
import { openForFiles, PATIENT, python } from '../probe.js'

const group = 'aborts'
const ABORTED = { kind: 'aborted' }
const LONG = 'echo ready; sleep 9; echo late'

const LEFT_BYTES = 1.9 * 1024 ** 3
/** Made in no time; to read all of it takes some. */
const LEAVES_MUCH = `
import os
os.truncate(os.open("much", os.O_CREAT | os.O_RDWR), ${Math.floor(LEFT_BYTES)})
with open("little", "w") as file: file.write("little")
print("done", flush=True)`

/** Starts a long program and waits for its first line. */
export async function startLong(
  sandbox: Sandbox,
  signal?: AbortSignal,
): Promise<{ result: Promise<ExecutionResult> }> {
  let tellReady = (): void => undefined
  const ready = new Promise<void>((resolve) => {
    tellReady = resolve
  })
  const result = sandbox.exec(LONG, { ...PATIENT, ...(signal && { signal }), onOutput: tellReady })
  // It may end early only by mistake; whoever awaits the result tells of it.
  await within(12_000, 'the first line of a program', Promise.race([ready, result.then(() => undefined)]))
  return { result }
}

export const abortCases: readonly ConformanceCase[] = [
  {
    name: 'starts nothing for a signal that is aborted already',
    group,
    async check({ open }) {
      const sandbox = await open()
      const { outcome, ok, changes } = await sandbox.exec('touch ran', {
        ...PATIENT,
        signal: AbortSignal.abort(),
      })
      equal([outcome, ok, changes], [ABORTED, false, []], 'outcome, ok and changes')
      equal(await sandbox.files.list(), [], 'the files of the workspace')
    },
  },
  {
    name: 'ends a program when its signal is aborted, and keeps what it had printed',
    group,
    async check(context) {
      const sandbox = await context.open()
      const controller = new AbortController()
      const { result } = await startLong(sandbox, controller.signal)
      const abortedAt = performance.now()
      controller.abort()
      const { outcome, ok, stdout } = await within(10_000, 'a program that was aborted', result)
      const tookMs = performance.now() - abortedAt
      ensure(tookMs <= 1_000 + context.overrunMs, `the program was ended ${tookMs} ms after the abort`)
      equal([outcome, ok, stdout.text], [ABORTED, false, 'ready\n'], 'outcome, ok and output')
      succeeded(await sandbox.exec('true', PATIENT), 'the next program')
    },
  },
  {
    name: 'changes nothing when a signal is aborted after the end',
    group,
    async check({ open }) {
      const sandbox = await open()
      const controller = new AbortController()
      const result = await sandbox.exec('echo done', { ...PATIENT, signal: controller.signal })
      controller.abort()
      equal(succeeded(result, 'a program'), 'done\n', 'what it printed')
      succeeded(await sandbox.exec('true', PATIENT), 'the next program')
    },
  },
  {
    name: 'looks no longer through what a program left when its signal is aborted, and says what it has not seen',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await openForFiles(context, 2 ** 32)
      const controller = new AbortController()
      let abortedAt = Number.POSITIVE_INFINITY
      const abort = (): void => {
        abortedAt = performance.now()
        controller.abort()
      }
      const result = await sandbox.exec(python(context, LEAVES_MUCH), {
        ...PATIENT,
        signal: controller.signal,
        onOutput: () => void setTimeout(abort, 700),
      })
      const tookMs = performance.now() - abortedAt
      ensure(tookMs <= 1_000 + context.overrunMs, `the result came ${tookMs} ms after the abort`)
      equal(result.stdout.text, 'done\n', 'what the program printed')
      const told = [...result.changes, ...(result.unseen ?? [])].map(({ path }) => path)
      if (!told.includes('.'))
        equal([...new Set(told)].sort(), ['little', 'much'], 'the files that were told of')
      succeeded(await sandbox.exec('true', PATIENT), 'the next program')
    },
  },
  {
    name: 'does not open for a signal that is aborted already',
    group,
    needs: 'nothing',
    check: ({ open }) =>
      refused('create() with an aborted signal', 'ABORTED', () => open({ signal: AbortSignal.abort() })),
  },
  {
    name: 'gives no open sandbox to who aborts while it is opened',
    group,
    needs: 'nothing',
    async check({ open }) {
      const controller = new AbortController()
      const opening = open({ signal: controller.signal })
      controller.abort()
      await refused('what was aborted while it was opened', ['ABORTED', 'SANDBOX_CLOSED'], async () =>
        (await within(15_000, 'create()', opening)).files.list(),
      )
    },
  },
  {
    name: 'ends what runs and closes when the signal of the sandbox is aborted',
    group,
    async check({ open }) {
      const controller = new AbortController()
      const sandbox = await open({ signal: controller.signal })
      const { result } = await startLong(sandbox)
      controller.abort()
      equal((await within(10_000, 'a program of an aborted sandbox', result)).outcome, ABORTED, 'the outcome')
      await refused('exec() in an aborted sandbox', 'SANDBOX_CLOSED', () => sandbox.exec('true'))
    },
  },
]
