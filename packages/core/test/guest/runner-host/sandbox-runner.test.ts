// What becomes of a run whose warm interpreter is lost: tried again when nothing of it ran, and never twice otherwise.
import { describe, expect, test } from 'vitest'
import { MendloopError } from '../../../src/contract/errors.js'
import type {
  ForkRunner,
  RunnerEnd,
  RunnerPreparation,
  RunnerRequest,
} from '../../../src/contract/fork-runner.js'
import { DEFAULT_LIMITS, type Guarantees, type Sandbox } from '../../../src/contract/sandbox.js'
import { prepareRunner, runProgram } from '../../../src/guest/runner/run-program.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'
import { withoutSpawn } from '../../helpers/without-spawn.js'

const PROGRAM = { files: { 'main.py': '' } }
const WELL: RunnerEnd = { how: { kind: 'exit', code: 0 }, durationMs: 1, leftover: false }
const lost = (started: boolean): RunnerEnd => ({
  how: { kind: 'lost', cause: 'it left', started },
  durationMs: 1,
  leftover: false,
})

interface Scripted {
  readonly sandbox: Sandbox
  readonly requests: RunnerRequest[]
  readonly preparations: RunnerPreparation[]
  /** Runners that were asked for. */
  opened(): number
}

/** A sandbox whose runner ends executions as told; a lost one is followed by a new one. */
async function scripted(
  ends: RunnerEnd[],
  parts: Partial<Sandbox> = {},
  breaking: readonly string[] = [],
  output = '',
): Promise<Scripted> {
  const requests: RunnerRequest[] = []
  const preparations: RunnerPreparation[] = []
  let current: ForkRunner | undefined
  let opened = 0
  const open = (): ForkRunner => {
    opened++
    let leave: (cause: string) => void = () => undefined
    const gone = new Promise<string>((resolve) => {
      leave = resolve
    })
    return {
      hello: {
        protocol: 1,
        python: { version: '3.11.7', executable: '/python3', prefix: '/', basePrefix: '/' },
        confinement: 'plain',
        syscallFilter: false,
        landlockAbi: 0,
      },
      lost: gone,
      close: async () => undefined,
      prepare: async (preparation) => {
        preparations.push(preparation)
        if (preparation.preload?.some((name) => breaking.includes(name))) {
          current = undefined
          const details = { sandbox: 'x', reason: 'y' }
          throw new MendloopError('SANDBOX_UNAVAILABLE', 'Lost over it.', { details })
        }
        return { loaded: preparation.preload ?? [], failed: {} }
      },
      start(request, { onOutput }) {
        requests.push(request)
        if (output !== '') onOutput('stdout', Buffer.from(output))
        const end = ends.shift() ?? WELL
        if (end.how.kind === 'lost') {
          current = undefined
          leave(end.how.cause)
        }
        const nothing = (): void => undefined
        return {
          write: async () => undefined,
          endInput: nothing,
          pause: nothing,
          terminate: nothing,
          kill: nothing,
          ended: Promise.resolve(end),
        }
      },
    }
  }
  const runner = async (): Promise<ForkRunner> => (current ??= open())
  const environment = { PATH: '/bin', HOME: '/home' }
  const sandbox = withoutSpawn(await memorySandbox().create(), { runner, environment, ...parts })
  return { sandbox, requests, preparations, opened: () => opened }
}

describe('runProgram', () => {
  test('tries once more on a new runner when nothing of the program ran', async () => {
    const { sandbox, requests, opened } = await scripted([lost(false)])
    const { outcome, engine } = await runProgram(sandbox, PROGRAM)
    expect([outcome, engine]).toEqual([{ kind: 'exit', code: 0 }, 'runner'])
    expect([requests.length, opened()]).toEqual([2, 2])
  })

  test('never runs a program twice', async () => {
    const { sandbox, requests } = await scripted([lost(true)])
    expect((await runProgram(sandbox, PROGRAM)).outcome).toEqual({ kind: 'lost', cause: 'it left' })
    expect(requests).toHaveLength(1)
  })

  test('never runs it elsewhere when two runners in a row were lost, and tries the next one anew', async () => {
    const { sandbox, opened } = await scripted([lost(false), lost(false)])
    expect(await runProgram(sandbox, PROGRAM)).toMatchObject({
      outcome: { kind: 'lost', cause: 'it left' },
      engine: 'runner',
      stdout: { text: '' },
    })
    expect(await runProgram(sandbox, PROGRAM)).toMatchObject({ ok: true, engine: 'runner' })
    expect(opened()).toBe(3)
  })

  test('forgives losses that other runs came between', async () => {
    const { sandbox } = await scripted([lost(false), WELL, lost(true), WELL, lost(false), WELL])
    const kinds: string[] = []
    for (let run = 0; run < 4; run++) kinds.push((await runProgram(sandbox, PROGRAM)).outcome.kind)
    expect(kinds).toEqual(['exit', 'lost', 'exit', 'exit'])
  })

  test('is lost, with the reason, when no runner can start the program', async () => {
    const refused: RunnerEnd = { ...WELL, how: { kind: 'not-started', reason: 'no room', code: 'EACCES' } }
    const { sandbox, requests } = await scripted([refused, refused])
    expect(await runProgram(sandbox, PROGRAM)).toMatchObject({
      outcome: { kind: 'lost', cause: 'the program could not be started: no room' },
      engine: 'runner',
    })
    expect(requests).toHaveLength(2)
    expect((await runProgram(sandbox, PROGRAM)).engine).toBe('runner')
  })

  test('is lost when the sandbox has had a runner and has none any more', async () => {
    const { sandbox } = await scripted([lost(true)])
    await runProgram(sandbox, PROGRAM)
    const details = { sandbox: 'x', reason: 'y' }
    sandbox.runner = async () => {
      throw new MendloopError('SANDBOX_UNAVAILABLE', 'None any more.', { details })
    }
    expect(await runProgram(sandbox, PROGRAM)).toMatchObject({
      outcome: { kind: 'lost', cause: 'None any more.' },
      engine: 'runner',
    })
  })

  test('goes without packages that a runner was lost over', async () => {
    const { sandbox, preparations } = await scripted([], {}, ['breaks'])
    const result = await runProgram(sandbox, PROGRAM, { preload: ['breaks'] })
    expect([result.ok, result.engine]).toEqual([true, 'runner'])
    expect(preparations).toHaveLength(1)
  })

  test('never runs a program twice that has written something, whatever a runner says', async () => {
    const refused: RunnerEnd = { ...WELL, how: { kind: 'not-started', reason: 'says who' } }
    const { sandbox, requests } = await scripted([refused], {}, [], 'said')
    expect(await runProgram(sandbox, PROGRAM)).toMatchObject({
      outcome: { kind: 'lost' },
      stdout: { text: 'said' },
    })
    expect(requests).toHaveLength(1)
  })

  test('files that do not fit a bounded workspace are at the limit of the disk', async () => {
    const refused: RunnerEnd = { ...WELL, how: { kind: 'not-started', reason: 'full', code: 'ENOSPC' } }
    const { guarantees } = await memorySandbox().create()
    const { sandbox } = await scripted([refused, refused], { guarantees: { ...guarantees, disk: 'bounded' } })
    expect((await runProgram(sandbox, PROGRAM)).outcome).toEqual({ kind: 'resource', limit: 'disk' })
  })

  test.each(['SANDBOX_UNAVAILABLE', 'SANDBOX_UNSUPPORTED'] as const)(
    'goes on without a runner after %s',
    async (code) => {
      const details = { sandbox: 'x', reason: 'y', requested: 'x', remedy: 'y' }
      const runner = async (): Promise<ForkRunner> => {
        throw new MendloopError(code, 'No runner here.', { details })
      }
      const { sandbox } = await scripted([], { runner })
      expect((await runProgram(sandbox, PROGRAM)).engine).toBe('process')
    },
  )

  test('hands on that the sandbox is closed', async () => {
    const runner = async (): Promise<ForkRunner> => {
      throw new MendloopError('SANDBOX_CLOSED', 'Closed.', { details: { sandbox: 'x' } })
    }
    const { sandbox } = await scripted([], { runner })
    await expect(runProgram(sandbox, PROGRAM)).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
  })

  test('starts from the sandbox’s variables and limits', async () => {
    const enforced: Partial<Guarantees> = { memory: 'per-process', pids: 'per-sandbox', disk: 'bounded' }
    const base = await memorySandbox().create()
    const { sandbox, requests } = await scripted([], {
      limits: { ...DEFAULT_LIMITS, memoryBytes: 1, processes: 2, openFiles: 3, fileBytes: 4, diskBytes: 5 },
      guarantees: { ...base.guarantees, ...enforced },
    })
    await runProgram(
      sandbox,
      { ...PROGRAM, env: { HOME: '/other' } },
      { limits: { openFiles: 9, cpuMs: 1500 } },
    )
    expect(requests[0]).toMatchObject({
      env: { PATH: '/bin', HOME: '/other' },
      limits: {
        memoryBytes: 1,
        processes: 2,
        openFiles: 9,
        fileBytes: 4,
        diskBytes: 5,
        cpuSeconds: { soft: 2, hard: 3 },
      },
    })
  })
})

describe('prepareRunner', () => {
  test('prepares each runner once, and the next one as it was asked for before', async () => {
    const { sandbox, preparations } = await scripted([WELL, WELL, lost(false)])
    await prepareRunner(sandbox, { preload: ['numpy'], spares: 2 })
    await prepareRunner(sandbox, { preload: ['pandas'] })
    await runProgram(sandbox, PROGRAM)
    await runProgram(sandbox, PROGRAM, { preload: ['numpy'] })
    await runProgram(sandbox, PROGRAM)
    const last = { preload: ['numpy', 'pandas'], spares: 2 }
    expect(preparations).toEqual([{ preload: ['numpy'], spares: 2 }, last, last])
  })
})
