// lintClean and typesCheck as checks of a task: pass, fail, not-run, by real tools.
import { describe, expect, test } from 'vitest'
import type { Candidate } from '../../../src/contract/candidate.js'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import type { Verdict, Verifier } from '../../../src/contract/verify.js'
import { lintClean, typesCheck } from '../../../src/verify/static/static-verifiers.js'
import { requires } from '../../helpers/requires.js'
import { hasTool, py, sandboxWith } from './tools.js'

/** Verifies without ever running the program. */
async function verdictOn(
  verifier: Verifier,
  candidate: Candidate,
  { language = 'python', sandbox: given }: { language?: string; sandbox?: Sandbox } = {},
): Promise<Verdict> {
  const sandbox = given ?? (await sandboxWith())
  try {
    return await verifier.verify({
      candidate,
      language,
      sandbox,
      run: () => Promise.reject(new Error('A static check runs nothing.')),
      exec: (command, options) => sandbox.exec(command, options),
      signal: new AbortController().signal,
    })
  } finally {
    await sandbox.close()
  }
}

describe.runIf(requires('python3'))('lintClean', () => {
  test('passes a program in which nothing is wrong, though its style is', async () => {
    expect(await verdictOn(lintClean(), py('import os\nprint(1)\n'))).toEqual({
      status: 'pass',
      integrity: 'shared',
      failures: [],
    })
  })

  test('fails on a wrong name, on syntax, and on warnings where they are to fail', async () => {
    const name = await verdictOn(lintClean(), py('print(missing)\n'))
    expect([name.status, name.failures.map(({ kind }) => kind)]).toEqual(['fail', ['lint']])
    const syntax = await verdictOn(lintClean(), py('print(\n'))
    expect([syntax.status, syntax.failures.map(({ kind }) => kind)]).toEqual(['fail', ['syntax']])
    const style = await verdictOn(lintClean({ warnings: 'fail' }), py('import os\n'))
    expect(style.failures.map(({ message }) => message)).toEqual(['`os` imported but unused (ruff F401)'])
  })

  test('is not silenced by a comment, unless that is allowed', async () => {
    const candidate = py('missing  # noqa\n')
    expect((await verdictOn(lintClean(), candidate)).status).toBe('fail')
    expect((await verdictOn(lintClean({ suppressions: 'honoured' }), candidate)).status).toBe('pass')
  })

  test('does not count what the baseline had', async () => {
    const verifier = lintClean({ baseline: py('old\n'), name: 'no new lint', visibility: 'held-out' })
    expect([verifier.name, verifier.visibility]).toEqual(['no new lint', 'held-out'])
    expect((await verdictOn(verifier, py('\nold\n'))).status).toBe('pass')
    expect((await verdictOn(verifier, py('old\nnew\n'))).failures).toHaveLength(1)
  })

  test('cannot be used for a language without a tool', async () => {
    const verdict = await verdictOn(lintClean(), py(''), { language: 'rust' })
    expect(verdict).toMatchObject({ status: 'not-run', misuse: 'No tool checks the names of rust.' })
  })

  test('refuses an option it does not know', () => {
    // @ts-expect-error: types are another check
    expect(() => lintClean({ types: true })).toThrow(/^lintClean\(\): unknown option "types"/u)
  })
})

describe('typesCheck', () => {
  test('judges TypeScript in this process, so its integrity is separate', { timeout: 60_000 }, async () => {
    const of = (text: string) => ({ entry: 'a.ts', files: { 'a.ts': text } })
    const language = 'typescript'
    const wrong = 'export const n: number = "a" // @ts-ignore\n// @ts-ignore\nexport const m: number = "b"\n'
    const failed = await verdictOn(typesCheck(), of(wrong), { language })
    expect(failed).toMatchObject({ status: 'fail', integrity: 'separate' })
    expect(failed.failures.map(({ kind, location }) => [kind, location?.line])).toEqual([
      ['type', 1],
      ['type', 3],
    ])
    const passed = await verdictOn(typesCheck(), of('export const n: number = 1\n'), { language })
    expect(passed).toEqual({ status: 'pass', integrity: 'separate', failures: [] })
  })

  test.runIf(requires('python3'))('without a checker for Python says how to get one', async () => {
    const verdict = await verdictOn(typesCheck(), py('x: int = 1\n'))
    expect(verdict).toMatchObject({ status: 'not-run', misuse: expect.stringContaining('pip install mypy') })
    expect((await verdictOn(typesCheck(), py('print(\n'))).status).toBe('fail')
  })

  test.runIf(requires('python3') && hasTool('mypy'))(
    'judges Python by mypy',
    { timeout: 60_000 },
    async () => {
      const wrong = await verdictOn(typesCheck(), py('def f() -> int:\n    return "a"  # type: ignore\n'), {
        sandbox: await sandboxWith('mypy'),
      })
      expect(wrong.failures).toMatchObject([{ kind: 'type', location: { line: 2 } }])
      const right = await verdictOn(typesCheck(), py('def f() -> int:\n    return 1\n'), {
        sandbox: await sandboxWith('mypy'),
      })
      expect(right).toEqual({ status: 'pass', integrity: 'shared', failures: [] })
    },
  )

  test('has nothing to say of JavaScript', { timeout: 60_000 }, async () => {
    const candidate = { entry: 'a.mjs', files: { 'a.mjs': 'export const n = 1\n' } }
    const verdict = await verdictOn(typesCheck(), candidate, { language: 'javascript' })
    expect(verdict).toMatchObject({ status: 'not-run', misuse: expect.stringContaining('types') })
  })
})
