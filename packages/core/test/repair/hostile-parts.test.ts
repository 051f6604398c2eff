// Models, checks, sandboxes, listeners and programs that misbehave: none may break a run, hang it or pass for right.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { RunState } from '../../src/contract/loop.js'
import type { ModelReply } from '../../src/contract/model.js'
import type { Sandbox, SandboxProvider } from '../../src/contract/sandbox.js'
import type { Verdict, Verifier, VerifyContext } from '../../src/contract/verify.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import type { RepairTask } from '../../src/repair/repair-task.js'
import { verifyOnce } from '../../src/repair/verify-once.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { type ScriptedStep, scriptedModel } from '../../src/testing/scripted-model.js'

const program = (body: string): string => `\`\`\`python\n${body}\n\`\`\`\n`
const pass: Verdict = { status: 'pass', integrity: 'shared', failures: [] }
const fail = (message: string): Verdict => ({
  status: 'fail',
  integrity: 'shared',
  failures: [{ kind: 'custom', message, fingerprint: message }],
})
const check = (verify: (context: VerifyContext) => Promise<Verdict>, name = 'check'): Verifier => ({
  name,
  visibility: 'visible',
  verify,
})
const task = (verify: Verifier[], extra: Partial<RepairTask> = {}): RepairTask => ({
  goal: 'Write something.',
  language: 'python',
  verify,
  ...extra,
})
const never = new Promise<never>(() => undefined)

/** A memory sandbox of which one part is replaced. */
const sandboxWith = (change: (sandbox: Sandbox) => Partial<Sandbox>): SandboxProvider => {
  const inner = memorySandbox()
  return {
    id: 'changed',
    specVersion: 'sandbox-v1',
    create: async (options) => {
      const sandbox = await inner.create(options)
      return { ...sandbox, ...change(sandbox) }
    },
  }
}

afterEach(() => vi.restoreAllMocks())

test.each([undefined, 'heldout', 'VISIBLE'])(
  'a check whose visibility is %j is refused, not left out',
  async (visibility) => {
    const odd = { name: 'x', visibility, verify: async () => fail('no') } as unknown as Verifier
    const loop = createRepairLoop({ model: scriptedModel([program('x')]), sandbox: memorySandbox() })
    await expect(loop.run(task([odd]))).rejects.toThrow(/visibility of 'visible' or 'held-out'/)
  },
)

test('a program that rewrites an input does not decide what the check reads, in its own check and in the next', async () => {
  const seen: string[] = []
  const reads = (name: string): Verifier =>
    check(async ({ run, sandbox }) => {
      const { changes } = await run()
      seen.push(
        `${changes.map(({ path, kind }) => `${path} ${kind}`)}: ${await sandbox.files.readText('cases.json')}`,
      )
      return pass
    }, name)
  const sandbox = memorySandbox(() => ({ writes: { 'cases.json': '[]' } }))
  const loop = createRepairLoop({ model: scriptedModel([program('x')]), sandbox })
  await loop.run(task([reads('one'), reads('two')], { files: { './cases.json': '[[1, 1]]' } }))
  expect(seen).toEqual(['cases.json modified: [[1, 1]]', 'cases.json modified: [[1, 1]]'])
})

test('an input that is also an output comes back as the program left it', async () => {
  const sandbox = memorySandbox(() => ({ writes: { 'notes.txt': 'sorted' } }))
  const ran = check(async ({ run }) => ((await run()).ok ? pass : fail('no')))
  const loop = createRepairLoop({ model: scriptedModel([program('x')]), sandbox })
  const result = await loop.run(task([ran], { files: { 'notes.txt': 'unsorted' }, outputs: ['notes.txt'] }))
  expect(Buffer.from(result.outputs['notes.txt'] ?? []).toString()).toBe('sorted')
})

test('an input cannot be rewritten under another spelling of its path', async () => {
  const reads = check(async ({ sandbox }) =>
    (await sandbox.files.readText('cases.json')) === '[1]' ? pass : fail('rewritten'),
  )
  const reply = 'solution.py\n```python\nx = 1\n```\ncases.json\n```json\n[2]\n```\n'
  const loop = createRepairLoop({ model: scriptedModel([reply]), sandbox: memorySandbox() })
  expect((await loop.run(task([reads], { files: { './cases.json': '[1]' } }))).status).toBe('verified')
})

test('something in the way of the program is removed; what cannot be removed fails the check', async () => {
  const stubborn = sandboxWith(({ files }) => {
    let written = 0
    return {
      files: { ...files, write: async (all) => (++written > 2 ? Promise.reject(refused) : files.write(all)) },
    }
  })
  const { MendloopError } = await import('../../src/contract/errors.js')
  const refused = new MendloopError('PATH_REFUSED', 'in the way', {
    details: { path: 'solution.py', reason: 'x' },
  })
  const always = check(async () => pass)
  const loop = createRepairLoop({
    model: scriptedModel([program('x')]),
    sandbox: stubborn,
    budget: { attempts: 1 },
  })
  const result = await loop.run(task([always]))
  expect(result.status).toBe('exhausted')
  expect(result.attempts[0]?.failures[0]).toMatchObject({ kind: 'denied' })
})

const hanging: [string, ScriptedStep, Verifier, SandboxProvider][] = [
  ['a model that never answers', () => never, check(async () => pass), memorySandbox()],
  ['a check that never answers', program('x'), check(() => never), memorySandbox()],
  [
    'an execution that never ends',
    program('x'),
    check(async ({ run }) => ((await run()).ok ? pass : fail('no'))),
    sandboxWith(() => ({ exec: () => never })),
  ],
  [
    'a sandbox that never opens',
    program('x'),
    check(async () => pass),
    { id: 'shut', specVersion: 'sandbox-v1', create: () => never },
  ],
]
test.each(hanging)('%s cannot keep a run from being aborted', async (_name, step, verifier, sandbox) => {
  const run = createRepairLoop({ model: scriptedModel([step]), sandbox }).start(task([verifier]))
  await sleep(50)
  run.abort()
  expect((await run.result).status).toBe('aborted')
})

test.each(hanging)('%s cannot outlast the wall budget', async (_name, step, verifier, sandbox) => {
  const loop = createRepairLoop({ model: scriptedModel([step]), sandbox, budget: { wallMs: 100 } })
  expect(await loop.run(task([verifier]))).toMatchObject({ status: 'exhausted', budget: 'wallMs' })
})

test('a sandbox that fails to close is told, and the result stays what it was', async () => {
  const sandbox = sandboxWith(() => ({ close: () => Promise.reject(new Error('stuck')) }))
  const result = await createRepairLoop({ model: scriptedModel([program('x')]), sandbox }).run(
    task([check(async () => pass)]),
  )
  expect(result.status).toBe('verified')
  expect(result.record.events.find(({ type }) => type === 'infrastructure-error')).toMatchObject({
    cause: 'The sandbox could not be closed: stuck',
  })
})

test.each(['model-end', 'attempt-end', 'reply-rejected', 'feedback-ready'] as const)(
  'a state taken at %s goes on without paying for that turn again, and tells what happened',
  async (moment) => {
    const steps = moment === 'reply-rejected' ? ['no code here'] : [program('bad = 1')]
    const verifier = check(async ({ candidate }) =>
      candidate.files['solution.py']?.includes('good') ? pass : fail('it is not good'),
    )
    const states: RunState[] = []
    const first = createRepairLoop({
      model: scriptedModel([...steps, () => never]),
      sandbox: memorySandbox(),
    }).start(task([verifier]))
    first.once(moment, () => {
      states.push(first.state())
      first.abort()
    })
    await first.result
    const model = scriptedModel([program('good = 1')])
    const loop = createRepairLoop({ model, sandbox: memorySandbox() })
    const [state] = states
    if (state === undefined) throw new Error(`there was no ${moment}`)
    const result = await loop.resume(task([verifier]), JSON.parse(JSON.stringify(state))).result
    expect(result.status).toBe('verified')
    expect(result.spent.modelCalls).toBe(2)
    const told = JSON.stringify(model.calls[0]?.messages)
    expect(told).toContain(moment === 'reply-rejected' ? 'could not be used' : 'it is not good')
  },
)

test('a resumed run tells how many attempts are left now, not when it ran out', async () => {
  const verifier = check(async () => fail('no'))
  const first = createRepairLoop({
    model: scriptedModel([program('a')]),
    sandbox: memorySandbox(),
    budget: { attempts: 1 },
  }).start(task([verifier]))
  await first.result
  const model = scriptedModel([program('b'), program('c')])
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { attempts: 3 } })
  await loop.resume(task([verifier]), first.state()).result
  expect(JSON.stringify(model.calls[0]?.messages)).toContain('2 attempts are left')
  expect(JSON.stringify(model.calls[0]?.messages)).not.toContain('No attempts are left')
})

test('the history of attempts holds no secret and no name of a held-out check', async () => {
  const hidden: Verifier = { ...check(async () => fail('x')), name: 'SECRET_NAME', visibility: 'held-out' }
  let round = 0
  const visible = check(async () =>
    ++round < 3 ? fail('KeyError: sk-abcdefghijklmnopqrstuvwxyz123456') : pass,
  )
  const model = scriptedModel(['a', 'b', 'c', 'd'].map(program))
  await createRepairLoop({ model, sandbox: memorySandbox() }).run(task([visible, hidden]))
  const prompts = JSON.stringify(model.calls.map(({ messages }) => messages))
  expect(prompts).not.toContain('SECRET_NAME')
  expect(prompts).not.toContain('sk-abcdefghijklmnopqrstuvwxyz123456')
})

test.each([
  ['a failure that is no object', { ...fail('x'), failures: ['oops'] }],
  ['a failure that is null', { ...fail('x'), failures: [null] }],
  ['tests that are no list', { ...pass, tests: 'x' }],
  ['a pass with a failed test', { ...pass, tests: [{ name: 't', status: 'fail' }] }],
])('a verdict with %s has passed nothing and breaks nothing', async (_name, verdict) => {
  const odd = check(async () => verdict as unknown as Verdict)
  const loop = createRepairLoop({
    model: scriptedModel([program('x')]),
    sandbox: memorySandbox(),
    budget: { attempts: 1 },
  })
  const result = await loop.run(task([odd]))
  expect(result.status).toBe('exhausted')
  expect(result.attempts[0]?.verdicts[0]?.status).toBe('not-run')
})

test('a check that cannot be used ends the run at once, since no program could pass it', async () => {
  const model = scriptedModel([program('a'), program('b')])
  const unusable = check(async () => ({ ...fail('x'), status: 'not-run', misuse: 'Its tests do not parse.' }))
  await expect(createRepairLoop({ model, sandbox: memorySandbox() }).run(task([unusable]))).rejects.toThrow(
    /"check" cannot be used\. Its tests do not parse/,
  )
  expect(model.calls).toHaveLength(1)
})

test('a failure without kind and fingerprint gets both', async () => {
  const odd = check(async () => ({ ...fail('x'), failures: [{ message: 'short' }] }) as unknown as Verdict)
  const loop = createRepairLoop({
    model: scriptedModel([program('x')]),
    sandbox: memorySandbox(),
    budget: { attempts: 1 },
  })
  const [failure] = (await loop.run(task([odd]))).attempts[0]?.failures ?? []
  expect(failure).toMatchObject({ kind: 'custom', message: 'short', fingerprint: expect.any(String) })
})

test('a reply that is none ends the run with a sentence that names the adapter', async () => {
  const model = { ...scriptedModel([]), generate: async () => ({}) as ModelReply }
  const result = await createRepairLoop({ model, sandbox: memorySandbox() }).run(
    task([check(async () => pass)]),
  )
  expect(result).toMatchObject({ status: 'environment-lost' })
  expect(result.status === 'environment-lost' && result.cause).toContain(
    '"scripted" gave a reply without text',
  )
})

test('a token budget ends although the model reports no usage', async () => {
  const model = scriptedModel(['a', 'b', 'c'].map((name) => ({ text: program(name), usage: {} })))
  const loop = createRepairLoop({ model, sandbox: memorySandbox(), budget: { totalTokens: 10 } })
  const result = await loop.run(task([check(async () => fail('no'))]))
  expect(result).toMatchObject({ status: 'exhausted', budget: 'totalTokens' })
  expect(result.spent.usage.estimated).toBe(true)
  expect(model.calls).toHaveLength(1)
})

test('an async listener that rejects is a warning, not the end of the process', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const run = createRepairLoop({ model: scriptedModel([program('x')]), sandbox: memorySandbox() }).start(
    task([check(async () => pass)]),
  )
  run.on('run-end', async () => {
    throw new Error('boom')
  })
  expect((await run.result).status).toBe('verified')
  await sleep(0)
  expect(warned).toHaveBeenCalledOnce()
})

test.each([
  [{ files: { '../x': 'a' } }],
  [{ outputs: ['../x'] }],
  [{ entry: '../main.py' }],
  [{ program: { '/solution.py': '' } }],
])('a path that no workspace can hold is refused before anything is spent: %j', async (extra) => {
  const model = scriptedModel([])
  const loop = createRepairLoop({ model, sandbox: memorySandbox() })
  await expect(loop.run(task([check(async () => pass)], extra))).rejects.toMatchObject({
    code: 'PATH_REFUSED',
  })
})

test('a misspelt key is named even where the right one is required', async () => {
  expect(() => createRepairLoop({ modle: scriptedModel([]), sandbox: memorySandbox() } as never)).toThrow(
    'createRepairLoop(): unknown option "modle"; did you mean "model"?',
  )
  await expect(verifyOnce({ candidat: {}, language: 'python' } as never)).rejects.toThrow(
    'verifyOnce(): unknown option "candidat"; did you mean "candidate"?',
  )
  expect(() => createRepairLoop(undefined as never)).toThrow(/^createRepairLoop\(\): .*object/)
})
