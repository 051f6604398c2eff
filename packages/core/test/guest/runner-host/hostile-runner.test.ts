// A runner that lies in one way at a time: it is given up with a cause, everything it ran settles, its process is gone.
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type {
  ForkRunner,
  RunnerEnd,
  RunnerPreparation,
  RunnerRequest,
} from '../../../src/contract/fork-runner.js'
import { startRunner } from '../../../src/guest/runner/start-runner.js'
import { type ProcessChannel, processChannel } from '../../helpers/process-channel.js'

const LIAR = fileURLToPath(new URL('../../fixtures/lying-runner.mjs', import.meta.url))
const SETUP = { confinement: 'plain', workspace: '/', readOnly: [], tmpBytes: 1, shmBytes: 1 } as const
const REQUEST: RunnerRequest = {
  program: { kind: 'argv', argv: ['true'] },
  env: {},
  cwd: '',
  workspace: 'fresh',
  stdin: 'none',
  limits: {},
  collect: { files: 10, bytes: 1000 },
}
const QUIET = { onOutput: () => undefined }

let channel: ProcessChannel | undefined

async function liar(lie: string, helloMs = 10_000): Promise<ForkRunner> {
  const open = async (): Promise<ProcessChannel> => (channel = processChannel([process.execPath, LIAR, lie]))
  return await startRunner(open, SETUP, { sandbox: 'lying', helloMs })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

afterEach(async () => {
  channel?.kill()
  await channel?.outcome
})

describe('a runner that does not introduce itself as it should', () => {
  test.each([
    ['does not introduce itself first', 'sent a frame of type 18'],
    ['speaks another version', 'HELLO frame that cannot be read'],
    ['sends a hello that is no JSON', 'it is no JSON'],
    ['sends a hello with a key too many', 'root'],
    ['floods without introducing itself', '65536 bytes without introducing itself'],
    ['complains and leaves', 'exit code 3: bwrap: No permissions to make a namespace'],
  ])('%s: cannot be started, and the error says what it did', async (lie, words) => {
    await expect(liar(lie)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining(words),
      details: { sandbox: 'lying' },
    })
    await channel?.outcome
  })

  test('never introduces itself: is given up when the time is over, and killed', async () => {
    await expect(liar('never introduces itself', 2_000)).rejects.toThrow(
      'did not introduce itself within 2 seconds: waiting for Godot',
    )
    expect(await channel?.outcome).toEqual({ kind: 'signal', signal: 'SIGKILL' })
  })

  test('talks before it is asked: is lost', async () => {
    const started = await liar('talks before it is asked').catch((error: Error) => error)
    const cause = started instanceof Error ? started.message : await started.lost
    expect(cause).toContain('sent a frame of type 18')
  })
})

describe('a runner that lies about an execution', () => {
  test.each([
    ['ends it twice', 'not under way'],
    ['starts it twice', 'twice'],
    ['speaks of another execution', 'not under way'],
    ['prints after the end', 'not under way'],
    ['says of a lost one whether it started', 'EXIT frame that cannot be read'],
    ['ends what it started as not started', 'had started that it had not'],
    ['ends what printed as not started', 'had started that it had not'],
    ['ends it with words for a number', 'EXIT frame that cannot be read'],
    ['ends it with an exit code of 256', 'EXIT frame that cannot be read'],
    ['ends it with what is no JSON', 'it is no JSON'],
    ['uses an unknown type', 'unknown type 99'],
    ['uses a type of the host', 'unknown type 1'],
    ['is ready for nothing', 'not asked for'],
    ['announces a frame of 4 GiB', 'a frame of 4294967295 bytes'],
    ['takes input that was not given', 'more input than it was given'],
    ['sends a file that ends in its head', 'ends within its head'],
    ['sends more bytes than were asked for', 'more files than were asked for'],
    ['sends a file above the workspace', 'by the path "../a"'],
    ['sends a file by an absolute path', 'by the path "/etc/passwd"'],
    ['sends a file with a NUL in its name', 'by the path'],
    ['begins a file in its middle', 'does not fit'],
    ['sends more of a file than there is', 'does not fit'],
    ['sends a file twice', 'does not fit'],
    ['sends an empty file twice', 'does not fit'],
    ['changes its mind on a size', 'does not fit'],
    ['does not finish a file', 'did not send all of the file "a"'],
    ['sends a file in the place of a folder', 'in the place of a folder of "a/b"'],
    ['leaves while it runs', 'ended with exit code 0'],
    ['is killed while it runs', 'was ended by SIGSEGV'],
  ])('%s: is lost, and so is what it ran', async (lie, words) => {
    const runner = await liar(lie)
    const ends = [runner.start(REQUEST, QUIET), runner.start(REQUEST, QUIET)].map(({ ended }) => ended)
    expect(await runner.lost).toContain(words)
    for (const end of await Promise.all(ends)) expect(['lost', 'exit']).toContain(end.how.kind)
    await channel?.outcome
    expect(isAlive(channel?.pid ?? 0)).toBe(false)
    const late = await runner.start(REQUEST, QUIET).ended
    expect(late.how).toMatchObject({ kind: 'lost', cause: expect.stringContaining(words) })
    await expect(runner.prepare({})).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', retryable: true })
  })

  test('sends files nobody asked for: is lost', async () => {
    const runner = await liar('sends a file nobody asked for')
    const { collect: _, ...request } = REQUEST
    const { how } = await runner.start(request, QUIET).ended
    expect(how).toMatchObject({
      kind: 'lost',
      cause: expect.stringContaining('more files than were asked for'),
    })
  })
})

describe('a runner that tells the truth', () => {
  test('ends what it was asked for, and its noise before the magic is nobody’s', async () => {
    const runner = await liar('none')
    let text = ''
    const execution = runner.start(REQUEST, { onOutput: (stream, data) => (text += `${stream}:${data}`) })
    const end: RunnerEnd = { how: { kind: 'exit', code: 0 }, durationMs: 1, leftover: false }
    expect(await execution.ended).toEqual(end)
    expect(text).toBe('stdout:hi')
    await runner.close()
    expect(await runner.lost).toBe('it was closed')
  })

  test('loses nothing by a listener that throws', async () => {
    const runner = await liar('none')
    const fail = (): void => {
      throw new Error('of the caller')
    }
    expect((await runner.start(REQUEST, { onOutput: fail }).ended).how).toEqual({ kind: 'exit', code: 0 })
    await runner.close()
  })

  test('withholds names that a workspace path cannot say, and gives the others', async () => {
    const runner = await liar('sends strange names')
    const { files = [], withheld } = await runner.start(REQUEST, QUIET).ended
    expect(files.map(({ path, content }) => [path, Buffer.from(content).toString()])).toEqual([
      ['__proto__', 'ok'],
    ])
    expect(withheld).toEqual(['fifo', 'a\\b', 'C:/x', expect.stringContaining('half '), 'x'.repeat(300)])
    await runner.close()
  })
})

describe('close()', () => {
  test('settles everything within two seconds although the runner is deaf, and may be called twice', async () => {
    const runner = await liar('says nothing')
    const execution = runner.start(REQUEST, QUIET)
    const preparing = runner.prepare({ preload: ['json'] })
    const refused = expect(preparing).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    const startedAt = performance.now()
    await Promise.all([runner.close(), runner.close()])
    expect(performance.now() - startedAt).toBeLessThan(2_500)
    expect((await execution.ended).how).toEqual({ kind: 'lost', cause: 'it was closed', started: false })
    await refused
    expect(() => runner.start(REQUEST, QUIET)).toThrow(expect.objectContaining({ code: 'SANDBOX_CLOSED' }))
    await expect(runner.prepare({})).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
    expect(isAlive(channel?.pid ?? 0)).toBe(false)
  })

  test('lets writes to a program that never reads go', async () => {
    const runner = await liar('says nothing')
    const execution = runner.start({ ...REQUEST, stdin: 'pipe' }, QUIET)
    const written = execution.write(Buffer.alloc(1024 * 1024))
    execution.endInput()
    await runner.close()
    await written
  })
})

describe('prepare()', () => {
  test.each([
    [{ preload: ['os; import sys'] }, 'must be a name that Python imports'],
    [{ spares: -1 }, 'must not be negative'],
    [{ spare: 1 }, 'did you mean "spares"?'],
  ])('refuses %j', async (preparation, words) => {
    const runner = await liar('none')
    await expect(runner.prepare(preparation as RunnerPreparation)).rejects.toThrow(words)
    await runner.close()
  })
})
