// Which limits a run of the loop is held to, and which the model is told of.
import { expect, test } from 'vitest'
import {
  DEFAULT_LIMITS,
  type Guarantees,
  type Limits,
  type SandboxProvider,
} from '../../src/contract/sandbox.js'
import type { Verifier } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'

const GIB = 1024 ** 3

const runs: Verifier = {
  name: 'runs',
  visibility: 'visible',
  async verify(context) {
    await context.run()
    await context.sandbox.exec(['true'])
    return { status: 'pass', integrity: 'shared', failures: [] }
  },
}

/** What the model was told, what the executions were given, and what a check sees. */
async function limitsOf(given: {
  readonly sandbox?: Partial<Limits>
  readonly loop?: Partial<Limits>
  readonly task?: Partial<Limits>
  readonly memory?: Guarantees['memory']
}): Promise<{ told: string | undefined; wallMs: unknown[]; seen: unknown }> {
  const wallMs: unknown[] = []
  const inner = memorySandbox(({ options }) => {
    wallMs.push(options.limits?.wallMs)
    return {}
  })
  const sandbox: SandboxProvider = {
    ...inner,
    async create(options) {
      const opened = await inner.create(options)
      const guarantees: Guarantees = { ...opened.guarantees, memory: given.memory ?? 'per-process' }
      const limits = { ...DEFAULT_LIMITS, ...given.sandbox, ...options?.limits }
      return Object.assign(opened, { guarantees, ...(given.sandbox && { limits }) })
    },
  }
  let seen: unknown
  const sees: Verifier = {
    ...runs,
    async verify(context) {
      seen = context.sandbox.limits
      return await runs.verify(context)
    },
  }
  const model = scriptedModel(['```python\nprint(1)\n```'])
  await createRepairLoop({ model, sandbox, ...(given.loop && { limits: given.loop }) }).run({
    goal: 'Print one.',
    language: 'python',
    verify: [sees],
    ...(given.task && { limits: given.task }),
  })
  const told = /A run may take [^"\\]*\./.exec(JSON.stringify(model.calls[0]?.messages))?.[0]
  return { told, wallMs, seen }
}

test("the sandbox's own limits are told, and kept", async () => {
  const own = { wallMs: 60_000, memoryBytes: GIB }
  expect(await limitsOf({ sandbox: own })).toEqual({
    told: 'A run may take 60 s of time, 1 GiB of memory.',
    wallMs: [60_000, 60_000],
    seen: { ...DEFAULT_LIMITS, ...own },
  })
})

test('those of the loop go before them, and those of the task before these', async () => {
  const sandbox = { wallMs: 60_000, cpuMs: 9_000, memoryBytes: GIB }
  const result = await limitsOf({ sandbox, loop: { wallMs: 7_000, cpuMs: 8_000 }, task: { wallMs: 6_000 } })
  expect(result).toMatchObject({
    told: 'A run may take 6 s of time, 8 s of processor time, 1 GiB of memory.',
    wallMs: [6_000, 6_000],
  })
})

test('a sandbox that does not say its limits has the defaults', async () => {
  expect(await limitsOf({})).toEqual({
    told: 'A run may take 5 s of time, 512 MiB of memory.',
    wallMs: [5_000, 5_000],
    seen: DEFAULT_LIMITS,
  })
})

test('a key that is present and undefined asks for nothing', async () => {
  const nothing = { wallMs: undefined } as unknown as Partial<Limits>
  const { told, wallMs } = await limitsOf({
    sandbox: { wallMs: 60_000 },
    loop: { wallMs: 7_000 },
    task: nothing,
  })
  expect(told).toMatch(/ 7 s of time/)
  expect(wallMs).toEqual([7_000, 7_000])
})

test('memory that nothing bounds is not told of', async () => {
  expect((await limitsOf({ memory: 'none' })).told).toBe('A run may take 5 s of time.')
})
