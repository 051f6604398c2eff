// A session is the same behind every wall that this machine has.
import { MendloopError, type Sandbox } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createHostFunctions, hostFunction } from '../../../src/guest/session/host-function.js'
import { openSession } from '../../../src/guest/session/open-session.js'
import { requires } from '../../helpers/requires.js'
import { isPresent } from '../../helpers/skips.js'

const hasPython = requires('python3')
const available: string[] = []
for (const isolation of ['landlock', 'namespaces'] as const) {
  try {
    await using _ = await subprocess({ isolation }).create()
    available.push(isolation)
  } catch (error) {
    if (!MendloopError.is(error)) throw error
    isPresent(false, `sessions in the tier ${isolation} cannot be tried here: ${error.message}`, error)
  }
}

async function sandboxOf(isolation: string): Promise<Sandbox> {
  const tier = isolation === 'landlock' ? 'landlock' : 'namespaces'
  const sandbox = await subprocess({ isolation: tier }).create()
  onTestFinished(() => sandbox.close())
  return sandbox
}

describe.skipIf(!hasPython || available.length === 0).each(available)('in the tier %s', (isolation) => {
  test.each([
    ['python', 'print(1)\nx = 2', 'while True: pass', 'import os; os._exit(9)'],
    ['javascript', 'console.log(1); const x = 2', 'for (;;) {}', 'process.reallyExit(9)'],
  ] as const)(
    '%s cells keep variables, are interrupted, and survive a death',
    async (language, first, endless, death) => {
      const session = await openSession(await sandboxOf(isolation), { language })
      expect((await session.run(first)).stdout.text).toBe('1\n')
      expect((await session.run(endless, { timeoutMs: 400 })).outcome.kind).toBe('timeout')
      expect((await session.run('x')).value?.data['text/plain']).toBe('2')
      expect((await session.run(death)).outcome).toEqual({ kind: 'exit', code: 9 })
      expect((await session.run('1 + 1')).value?.data['text/plain']).toBe('2')
      await session.close()
    },
  )

  test.each(['python', 'javascript'] as const)(
    'closing a %s session while a host call waits ends its cell and nothing else',
    async (language) => {
      const sandbox = await sandboxOf(isolation)
      let tellAsked = (): void => undefined
      const asked = new Promise<void>((resolve) => {
        tellAsked = resolve
      })
      const host = {
        wait: hostFunction({
          description: 'Waits.',
          input: z.unknown(),
          handler: () => {
            tellAsked()
            return new Promise(() => undefined)
          },
        }),
      }
      const session = await openSession(sandbox, { language, host: createHostFunctions(host) })
      const call = "host.call('wait', {})"
      const cell = session.run(language === 'python' ? call : `await ${call}`)
      await asked
      await session.close()
      expect((await cell).outcome).toEqual({ kind: 'aborted' })
      expect((await sandbox.exec('echo on')).stdout.text).toBe('on\n')
    },
  )
})
