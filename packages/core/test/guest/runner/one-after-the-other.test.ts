// Programs that have one supervisor after each other: what is taken back never runs, and ends are never mixed up.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { syscallFilter } from '../../../src/confinement/syscall-filter.js'
import { childrenOf, confinementsHere, isAlive, openRunner, ordinaryUser } from '../../helpers/open-runner.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])

describe.each(kinds)('in %s', (confinement) => {
  test('a program that is killed before it begins never runs afterwards', async () => {
    const { start, exec, workspace } = await openRunner(confinement)
    for (let round = 0; round < 8; round++) {
      const { execution, done } = start({
        program: { kind: 'argv', argv: ['/bin/sh', '-c', 'echo began >> ran; sleep 0.5; echo late >> ran'] },
      })
      // At all moments of its start.
      if (round % 2 === 1) await delay(round)
      execution.kill()
      expect((await done).how).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    }
    expect((await exec('sleep 1')).how).toEqual({ kind: 'exit', code: 0 })
    const ran = existsSync(join(workspace, 'ran')) ? readFileSync(join(workspace, 'ran'), 'utf8') : ''
    expect(ran).not.toContain('late')
  })

  test('a program that is asked to end when it has hardly begun ends', async () => {
    const { start } = await openRunner(confinement)
    for (let round = 0; round < 12; round++) {
      const { execution, done } = start({ program: { kind: 'argv', argv: ['/bin/sleep', '20'] } })
      if (round % 2 === 1) await delay(round / 2)
      execution.terminate()
      expect((await done).how).toEqual({ kind: 'signal', signal: 'SIGTERM' })
    }
  })

  test('a process that waits and dies costs nobody, and no end is told of another program', async () => {
    const { exec, channel } = await openRunner(confinement)
    await exec('true')
    const [, supervisor = 0] = childrenOf(channel.pid)
    expect(supervisor).toBeGreaterThan(1)
    for (let round = 0; round < 2; round++) {
      // It throws while there is none.
      const [killed = 0] = await vi.waitFor(() => childrenOf(supervisor), 10_000)
      expect(killed).toBeGreaterThan(1)
      process.kill(killed, 'SIGKILL')
      await vi.waitFor(() => expect(isAlive(killed)).toBe(false), 10_000)
      for (let code = 0; code < 4; code++)
        expect(await exec(`echo ${code}; exit ${code}`)).toMatchObject({
          how: { kind: 'exit', code },
          stdout: `${code}\n`,
        })
    }
  })
})

test.runIf(kinds.includes('namespaces'))('signals to the first process do not put a limit off', async () => {
  const { python } = await openRunner('namespaces')
  const source =
    'import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        while True: pass\nwhile True:\n    os.kill(1, 12)\n    time.sleep(0.005)'
  const { how, cpuMs = 0 } = await python(source, { limits: { cpuSeconds: { soft: 1, hard: 1 } } })
  expect(how).toEqual({ kind: 'signal', signal: 'SIGKILL' })
  expect(cpuMs).toBeLessThan(1_800)
})

test.runIf(kinds.includes('landlock'))('a fresh workspace is as new, also in size and flags', async () => {
  const filter = syscallFilter({ variant: 'strict', inet: false })
  const { python } = await openRunner('landlock', { setup: { syscallFilter: filter } })
  const source = `
import array, fcntl, os
print(os.stat('.').st_size)
for number in range(300):
    open('a-rather-long-name-for-a-file-%d' % number, 'w').close()
for request in (0x40086602, 0x401c5820):
    try:
        fcntl.ioctl(os.open('.', os.O_RDONLY), request, array.array('L', [0x8] * 4))
        print('set')
    except OSError as error:
        print(error.strerror)
`
  const denied = 'Operation not permitted\nOperation not permitted\n'
  for (let round = 0; round < 3; round++) {
    const { stdout, stderr } = await python(source)
    expect(stderr).toBe('')
    expect(stdout).toMatch(new RegExp(`^(?:[0-9]{1,3}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6])\n${denied}$`))
  }
})

const asUser = ordinaryUser()

// Whose group is root's sees all of /proc.
test.runIf(kinds.includes('namespaces') && asUser !== undefined)(
  'the first process of a namespace, which has figures of the programs before, is out of sight',
  async () => {
    const { python } = await openRunner('namespaces', {
      launcher: asUser ?? [],
      python: '/usr/bin/python3',
    })
    const source =
      'import os\nprint(os.getpid(), [name for name in os.listdir("/proc") if name.isdigit()], os.path.exists("/proc/1/stat"))'
    for (let round = 0; round < 2; round++) expect((await python(source)).stdout).toBe("2 ['2'] False\n")
  },
)
