// Promises about what is said: guarantees on every result, and no option that is ignored.
import { MendloopError } from '../../../contract/errors.js'
import type { Guarantees, NetworkPolicy } from '../../../contract/sandbox.js'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, refused } from '../expectations.js'
import { PATIENT } from '../probe.js'

const group = 'honesty'

const POLICIES: readonly { network: NetworkPolicy; kept: readonly Guarantees['network'][] }[] = [
  { network: { mode: 'none' }, kept: ['denied'] },
  { network: { mode: 'allow', hosts: ['example.org'] }, kept: ['allow-list'] },
  { network: { mode: 'all' }, kept: ['host'] },
]

/** Calls with an option that nobody knows; each is a misspelling of one that there is. */
const untyped = (value: unknown): never => value as never

export const honestyCases: readonly ConformanceCase[] = [
  {
    name: 'carries its guarantees on every result, however the program ended',
    group,
    async check({ open }) {
      const sandbox = await open()
      for (const [command, wallMs] of [
        ['true', 20_000],
        ['exit 3', 20_000],
        ['sleep 9', 300],
      ] as const) {
        const result = await sandbox.exec(command, { limits: { wallMs } })
        equal(
          result.guarantees,
          sandbox.guarantees,
          `the guarantees on the result of ${JSON.stringify(command)}`,
        )
      }
    },
  },
  {
    name: 'makes the same claims in every sandbox, and does not let them be changed',
    group,
    needs: 'nothing',
    async check({ open, facts }) {
      const { guarantees } = await open()
      equal(guarantees, facts.guarantees, 'the guarantees of a second sandbox')
      Reflect.set(guarantees, 'isolation', 'vm')
      equal((await open()).guarantees, facts.guarantees, 'the guarantees after somebody tried to change them')
    },
  },
  {
    name: 'refuses an option that it does not know, instead of ignoring it',
    group,
    needs: 'nothing',
    async check({ open, provider }) {
      const sandbox = await open()
      const unknown: Readonly<Record<string, () => Promise<unknown>>> = {
        'create({ limit })': async () => (await provider.create(untyped({ limit: {} }))).close(),
        'create({ limits: { wallMS } })': async () =>
          (await provider.create({ limits: untyped({ wallMS: 1 }) })).close(),
        'exec(…, { timeout })': () => sandbox.exec('true', untyped({ timeout: 1 })),
        'exec(…, { limits: { memory } })': () => sandbox.exec('true', { limits: untyped({ memory: 1 }) }),
        'exec({ argv, input })': () => sandbox.exec(untyped({ argv: ['true'], input: '' })),
      }
      for (const [what, call] of Object.entries(unknown)) await refused(what, 'INVALID_OPTION', call)
    },
  },
  {
    name: 'refuses a command or a limit that means nothing',
    group,
    needs: 'nothing',
    async check({ open }) {
      const sandbox = await open()
      const wrong: Readonly<Record<string, () => Promise<unknown>>> = {
        'exec("")': () => sandbox.exec(''),
        'exec([])': () => sandbox.exec([]),
        'an argument with a NUL byte': () => sandbox.exec(['echo', 'a\0b']),
        'a variable with an equals sign in its name': () =>
          sandbox.exec({ argv: ['true'], env: { 'A=B': 'x' } }),
        'limits.wallMs: 0': () => sandbox.exec('true', { limits: { wallMs: 0 } }),
        'limits.outputBytes: -1': () => sandbox.exec('true', { limits: { outputBytes: -1 } }),
      }
      for (const [what, call] of Object.entries(wrong)) await refused(what, 'INVALID_OPTION', call)
    },
  },
  {
    name: 'keeps a network policy that is asked for, or refuses it',
    group,
    needs: 'nothing',
    async check({ open }) {
      for (const { network, kept } of POLICIES) {
        const sandbox = await open({ network }).catch((error: unknown) => {
          if (!MendloopError.is(error, 'SANDBOX_UNSUPPORTED')) throw error
        })
        if (sandbox === undefined) continue
        const claimed = sandbox.guarantees.network
        ensure(
          kept.includes(claimed),
          `network "${network.mode}" was accepted, and guarantees.network is "${claimed}"`,
        )
      }
    },
  },
  {
    name: 'says what it is in a form that records can keep',
    group,
    async check({ open, provider }) {
      equal(provider.specVersion, 'sandbox-v1', 'specVersion')
      ensure(
        /^[a-z][a-z0-9-]*$/.test(provider.id),
        `the id should be a short name: ${JSON.stringify(provider.id)}`,
      )
      const result = await (await open()).exec('echo ünï', PATIENT)
      equal(JSON.parse(JSON.stringify(result)), result, 'a result that went through JSON')
    },
  },
]
