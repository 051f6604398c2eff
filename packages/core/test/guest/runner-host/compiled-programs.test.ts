// Programs compiled ahead: used by the version of Python that compiled them, left alone by every other.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ForkRunner } from '../../../src/contract/fork-runner.js'
import { type CompiledPrograms, compileRunner } from '../../../src/guest/runner/compiled-programs.js'
import { startRunner } from '../../../src/guest/runner/start-runner.js'
import { processChannel } from '../../helpers/process-channel.js'
import { onLinux, requires } from '../../helpers/requires.js'

const ask = async (args: readonly string[], stdin: string): Promise<string> =>
  spawnSync('python3', args, { input: stdin, encoding: 'utf8', maxBuffer: 2 ** 24 }).stdout

async function start(compiled: CompiledPrograms | undefined): Promise<ForkRunner> {
  const workspace = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const setup = { confinement: 'plain', workspace, readOnly: [], tmpBytes: 1e6, shmBytes: 1e6 } as const
  const runner = await startRunner(async ({ argv = [] }) => processChannel(argv), setup, { compiled })
  onTestFinished(() => runner.close())
  return runner
}

describe.runIf(requires('python3') && onLinux('the fork runner'))('compileRunner', () => {
  test('gives programs that a runner of the same Python starts from', async () => {
    const compiled = await compileRunner(ask)
    expect(compiled).toBeDefined()
    expect((await start(compiled)).hello.protocol).toBe(1)
  })

  test('its programs are really used, and not by another version of Python', async () => {
    const { magic = '' } = (await compileRunner(ask)) ?? {}
    const script = `import marshal; print(marshal.dumps({'runner': compile('raise SystemExit("compiled ahead")', 'x', 'exec')}).hex())`
    const code = (await ask(['-c', script], '')).trim()
    await expect(start({ magic, code })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('compiled ahead'),
    })
    expect((await start({ magic: '00000000', code })).hello.protocol).toBe(1)
  })

  test.each([
    ['fails', async () => Promise.reject(new Error('no such file'))],
    ['prints something else', async () => 'Segmentation fault'],
    ['prints other JSON', async () => '{"magic":"zz","code":7}'],
  ])(
    'gives nothing when the interpreter %s, and a runner compiles its programs itself',
    async (_what, answer) => {
      const compiled = await compileRunner(answer)
      expect(compiled).toBeUndefined()
      expect((await start(compiled)).hello.protocol).toBe(1)
    },
  )
})
