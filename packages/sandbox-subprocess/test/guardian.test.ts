import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { processesWithArgument, seesProcesses, until } from './helpers/processes.js'

interface Report {
  readonly workdir: string
}

/** Starts a host that runs a program and reports once that program has written its first line. */
async function startHost(mark: string, way: string): Promise<{ host: ChildProcess; workdir: string }> {
  const host = fork(new URL('./fixtures/host.ts', import.meta.url), [mark, way], {
    cwd: new URL('../../..', import.meta.url),
    execArgv: ['--conditions=@mendloop/source', '--import', 'tsx'],
    detached: true,
    // One of the hosts throws, which need not be read here.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  onTestFinished(() => void host.kill('SIGKILL'))
  const [report] = (await once(host, 'message')) as [Report]
  return { host, workdir: report.workdir }
}

const ends: readonly [string, (host: ChildProcess) => void][] = [
  ['is killed', (host) => host.kill('SIGKILL')],
  ['is killed with its process group', ({ pid = 0 }) => process.kill(-pid, 'SIGKILL')],
  ['is interrupted with its process group', ({ pid = 0 }) => process.kill(-pid, 'SIGINT')],
  ['calls process.exit()', (host) => host.send('exit')],
  ['throws', (host) => host.send('throw')],
]

test.runIf(seesProcesses).each(ends)(
  'when the host %s, its programs and folders are gone',
  async (_, end) => {
    const mark = randomUUID()
    const { host, workdir } = await startHost(mark, 'new-session')
    expect(processesWithArgument(mark)).not.toEqual([])
    expect(existsSync(workdir)).toBe(true)
    end(host)
    await once(host, 'exit')
    await until('no program is left', () => processesWithArgument(mark).length === 0)
    await until('no folder is left', () => !existsSync(workdir))
  },
)

test.runIf(seesProcesses)(
  'a group whose members hide the marker is known to the guardian by its number',
  async () => {
    const mark = randomUUID()
    const { host, workdir } = await startHost(mark, 'bare-environment-in-group')
    await until('the program runs', () => processesWithArgument(mark).length > 0)
    host.kill('SIGKILL')
    await until('no program is left', () => processesWithArgument(mark).length === 0)
    await until('no folder is left', () => !existsSync(workdir))
  },
)

test('an open sandbox does not keep the host alive, and a finished host leaves no folder', async () => {
  const { host, workdir } = await startHost(randomUUID(), 'idle')
  host.disconnect()
  const [code] = await once(host, 'exit')
  expect(code).toBe(0)
  await until('no folder is left', () => !existsSync(workdir))
})

test.runIf(seesProcesses)(
  'a process without marker and group is known to the guardian by the folder it works in',
  async () => {
    const mark = randomUUID()
    const { host, workdir } = await startHost(mark, 'bare-environment')
    await until('the child runs', () => processesWithArgument(mark).length > 1)
    host.kill('SIGKILL')
    await until('no program is left', () => processesWithArgument(mark).length === 0)
    await until('no folder is left', () => !existsSync(workdir))
  },
)

test.runIf(seesProcesses)('a guardian that was killed is replaced before the next program runs', async () => {
  const { host, workdir } = await startHost(randomUUID(), 'guardian-killed')
  host.kill('SIGKILL')
  await until('no folder is left', () => !existsSync(workdir))
})
