// The loop on programs that are not Python: compiled, run, told what was wrong, mended.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { verifyOnce } from '../../src/repair/verify-once.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { exitsCleanly } from '../../src/verify/exits-cleanly.js'
import { expectOutput } from '../../src/verify/expect-output.js'
import { requires } from '../helpers/requires.js'
import { sandboxWithTools } from '../helpers/toolchains.js'

const block = (language: string, path: string, text: string): string =>
  `\`\`\`${language} ${path}\n${text}\n\`\`\``

describe.skipIf(!requires('gcc'))('C', () => {
  test('a program that does not compile is told so and mended', async () => {
    const wrong = '#include <stdio.h>\nint main(void) {\n  printf("%d\\n", answer);\n  return 0;\n}'
    const model = scriptedModel([
      block('c', 'solution.c', wrong),
      block('c', 'solution.c', wrong.replace('answer', '6 * 7')),
    ])
    const loop = createRepairLoop({ model, sandbox: sandboxWithTools() })
    const result = await loop.run({ goal: 'Print 42.', language: 'c', verify: [expectOutput('42')] })
    expect(result.status).toBe('verified')
    const [first] = result.attempts
    expect(first?.execution).toMatchObject({ step: 'compile', ok: false })
    expect(first?.failures[0]).toMatchObject({ kind: 'type', location: { path: 'solution.c', line: 3 } })
    expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain('undeclared')
  }, 60_000)
})

describe.skipIf(!requires('node'))('JavaScript', () => {
  test('a program that throws is told where', async () => {
    const { passed, failures, feedback } = await verifyOnce({
      language: 'js',
      candidate: { files: { 'solution.mjs': 'const x = undefined\nx.y()\n' }, entry: 'solution.mjs' },
      sandbox: sandboxWithTools(),
      verify: [exitsCleanly()],
    })
    expect(passed).toBe(false)
    expect(failures[0]).toMatchObject({ location: { path: 'solution.mjs', line: 2 } })
    expect(feedback).toContain('TypeError')
  }, 60_000)
})

describe('a compiler that is missing', () => {
  const noTools = () => memorySandbox(() => ({ outcome: { kind: 'exit', code: 127 } }))

  test('ends the run before the model is asked', async () => {
    const model = scriptedModel([])
    const loop = createRepairLoop({ model, sandbox: noTools() })
    const run = loop.run({ goal: 'Print 42.', language: 'rust', verify: [exitsCleanly()] })
    const error = await Promise.resolve(run).catch((one: unknown) => one)
    expect(MendloopError.is(error, 'TOOLCHAIN_MISSING') && error.details.tool).toBe('rustc')
    expect(model.calls).toEqual([])
  })

  test('is the machine’s fault, not the program’s', async () => {
    const verified = verifyOnce({
      language: 'go',
      candidate: { files: { 'solution.go': 'package main\n' }, entry: 'solution.go' },
      sandbox: noTools(),
      verify: [exitsCleanly()],
    })
    await expect(verified).rejects.toMatchObject({ code: 'TOOLCHAIN_MISSING', details: { tool: 'go' } })
  })
})
