// Liars about what they say of themselves.
import type { Limits } from '../../../../src/contract/sandbox.js'
import {
  aboutCommands,
  aboutResults,
  catchLiars,
  honestProvider,
  wrapProvider,
} from '../../../helpers/liars.js'

const UNKNOWN = 'refuses an option that it does not know, instead of ignoring it'
const KNOWN: readonly (keyof Limits)[] = [
  'wallMs',
  'memoryBytes',
  'cpuMs',
  'outputBytes',
  'fileBytes',
  'openFiles',
]

catchLiars('honesty', [
  {
    who: 'tells of other walls on its results than on itself',
    caughtBy: 'carries its guarantees on every result, however the program ended',
    lie: aboutResults((result) => ({
      ...result,
      guarantees: { ...result.guarantees, isolation: 'container' },
    })),
  },
  {
    who: 'lets its claims be written over for all',
    caughtBy: 'makes the same claims in every sandbox, and does not let them be changed',
    alone: true,
    provider: (() => {
      let guarantees: Awaited<ReturnType<typeof honestProvider.create>>['guarantees'] | undefined
      return wrapProvider(async (options) => {
        const sandbox = await honestProvider.create(options)
        guarantees ??= { ...sandbox.guarantees }
        return new Proxy(sandbox, {
          get(target, name) {
            if (name === 'guarantees') return guarantees
            const member: unknown = Reflect.get(target, name)
            return typeof member === 'function' ? member.bind(target) : member
          },
        })
      })
    })(),
  },
  {
    who: 'ignores options that it does not know',
    caughtBy: UNKNOWN,
    alone: true,
    lie: (sandbox) => ({
      exec(command, { limits = {}, onOutput, signal } = {}) {
        const known = Object.fromEntries(
          Object.entries(limits).filter(([name]) => KNOWN.some((one) => one === name)),
        )
        return sandbox.exec(command, {
          limits: known,
          ...(onOutput && { onOutput }),
          ...(signal && { signal }),
        })
      },
    }),
  },
  {
    who: 'mends commands that mean nothing',
    caughtBy: 'refuses a command or a limit that means nothing',
    lie: aboutCommands((command) => (command === '' ? 'true' : command)),
  },
  {
    who: 'takes a network policy that it does not keep',
    caughtBy: 'keeps a network policy that is asked for, or refuses it',
    provider: wrapProvider(({ network: _, ...options } = {}) => honestProvider.create(options)),
  },
  {
    who: 'gives results that no record can keep',
    caughtBy: 'says what it is in a form that records can keep',
    lie: aboutResults((result) => ({ ...result, usage: { cpuMs: Number.NaN } })),
  },
])
