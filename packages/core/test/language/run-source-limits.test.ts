// Which limits a program in any language, and its compiler, are held to.
import { expect, test } from 'vitest'
import type { ExecOptions, Guarantees, Limits, Sandbox } from '../../src/contract/sandbox.js'
import { DEFAULT_LIMITS } from '../../src/contract/sandbox.js'
import { runSource } from '../../src/language/run-source.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'

const GIB = 1024 ** 3
const ENTRY = { language: 'java', files: 'class Main { public static void main(String[] a) {} }' }

interface Seen {
  readonly argv: readonly string[]
  readonly limits: ExecOptions['limits']
}

/** The executions that `runSource` starts in a sandbox that runs nothing, without the questions for versions. */
async function executions(
  own: Partial<Limits> | undefined,
  asked: Partial<Limits> | undefined,
  memory: Guarantees['memory'] = 'per-process',
): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  const provider = memorySandbox(({ command, options }) => {
    if (typeof command === 'object' && 'argv' in command)
      seen.push({ argv: command.argv, limits: options.limits })
    return {}
  })
  const plain = await provider.create()
  const sandbox: Sandbox = {
    ...plain,
    guarantees: { ...plain.guarantees, memory },
    ...(own !== undefined && { limits: { ...DEFAULT_LIMITS, ...own } }),
  }
  await runSource(sandbox, ENTRY, asked && { limits: asked })
  return seen
}

test('a compiler gets no less than the sandbox gives to every program', async () => {
  const [compile, run] = await executions({ wallMs: 300_000, memoryBytes: 4 * GIB }, undefined)
  expect(compile?.limits).toEqual({ wallMs: 300_000, memoryBytes: 4 * GIB })
  expect(run?.limits).toEqual({})
})

test('an interpreter is told of the memory that the sandbox has, or of what was asked for', async () => {
  const heap = async (...limits: Parameters<typeof executions>): Promise<string | undefined> =>
    (await executions(...limits)).at(-1)?.argv.find((one) => one.startsWith('-Xmx'))
  expect(await heap(undefined, undefined)).toBe('-Xmx256m')
  expect(await heap({ memoryBytes: 4 * GIB }, undefined)).toBe('-Xmx2048m')
  expect(await heap({ memoryBytes: GIB / 8 }, undefined)).toBe('-Xmx64m')
  expect(await heap({ memoryBytes: 4 * GIB }, { memoryBytes: GIB })).toBe('-Xmx512m')
})

test('a compiler is given no limit on memory where none is enforced, since that would be refused', async () => {
  const [compile] = await executions(undefined, undefined, 'none')
  expect(compile?.limits).toEqual({ wallMs: 60_000 })
})

test('a question for a tool may use what a compiler may, however little programs have', async () => {
  const asked: ExecOptions['limits'][] = []
  const provider = memorySandbox(({ options }) => {
    asked.push(options.limits)
    return {}
  })
  const plain = await provider.create()
  const limits = { ...DEFAULT_LIMITS, memoryBytes: GIB / 16 }
  for (const memory of ['per-execution', 'none'] as const)
    await runSource(
      { ...plain, limits, guarantees: { ...plain.guarantees, memory } },
      { language: 'bash', files: 'echo' },
    )
  expect(asked).toEqual([{ wallMs: 20_000, memoryBytes: GIB }, {}, { wallMs: 20_000 }, {}])
})

test('a run that is called off, or whose sandbox is closed, is a result at every step', async () => {
  for (const step of [1, 2, 3]) {
    const controller = new AbortController()
    let steps = 0
    const provider = memorySandbox(async ({ options }) => {
      if (++steps === step) controller.abort()
      return options.signal?.aborted === true ? { outcome: { kind: 'aborted' } } : { stdout: '17' }
    })
    const { signal } = controller
    const { ok, compile, run, failures } = await runSource(await provider.create(), ENTRY, { signal })
    expect([ok, failures, (run ?? compile)?.outcome]).toEqual([false, [], { kind: 'aborted' }])
  }
  const closed = await memorySandbox(async () => {
    await closed.close()
    return { outcome: { kind: 'aborted' } }
  }).create()
  expect((await runSource(closed, ENTRY)).run?.outcome).toEqual({ kind: 'aborted' })
  await expect(runSource(closed, ENTRY)).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
})

test('leaks are not looked for by a sanitizer of addresses, since no sandbox with walls lets it', async () => {
  const environments = async (...compileArgs: string[]) => {
    const provider = memorySandbox()
    await runSource(await provider.create(), { language: 'c', files: 'int main(void) {}', compileArgs })
    return provider.commands.at(-1)
  }
  const env = { ASAN_OPTIONS: 'detect_leaks=0' }
  expect(await environments('-fsanitize=address')).toMatchObject({ env })
  expect(await environments('-O2', '-fsanitize=undefined,address')).toMatchObject({ env })
  expect(await environments('-fsanitize=undefined')).not.toHaveProperty('env')
})

test('a question for a tool that somebody else called off is asked anew', async () => {
  const first = new AbortController()
  let questions = 0
  const provider = memorySandbox(async () => {
    if (++questions > 1) return { stdout: 'bash 5' }
    first.abort()
    return { outcome: { kind: 'aborted' } }
  })
  const sandbox = await provider.create()
  const program = { language: 'bash', files: 'echo' }
  const [calledOff, other] = await Promise.allSettled([
    runSource(sandbox, program, { signal: first.signal }),
    runSource(sandbox, program),
  ])
  const run = { outcome: { kind: 'aborted' }, ok: false }
  expect(calledOff).toMatchObject({ status: 'fulfilled', value: { ok: false, run, failures: [] } })
  expect(other).toMatchObject({ status: 'fulfilled', value: { ok: true } })
})
