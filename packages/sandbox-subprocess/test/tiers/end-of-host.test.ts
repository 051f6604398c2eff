import { execFileSync, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { processesWithArgument, until } from '../helpers/processes.js'
import { workingTiers } from '../helpers/tiers.js'

const groupsOf = (pid: number): string =>
  execFileSync('/bin/sh', [
    '-c',
    `find /sys/fs/cgroup -name 'mendloop-${pid}-*' 2>/dev/null || true`,
  ]).toString()

test.runIf(workingTiers.length > 0).each(workingTiers)(
  'when the host of a "%s" sandbox is killed, its programs, folders and control groups are gone',
  async (tier) => {
    const place = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    chmodSync(place, 0o755)
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
    const mark = randomUUID()
    const host = fork(new URL('../fixtures/tier-host.ts', import.meta.url), [tier, mark], {
      cwd: new URL('../../../..', import.meta.url),
      execArgv: ['--conditions=@mendloop/source', '--import', 'tsx'],
      env: { ...process.env, TMPDIR: place },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    await once(host, 'message')
    const folders = (): string[] => readdirSync(place).filter((name) => name.startsWith('mendloop-'))
    expect(folders()).not.toEqual([])
    expect(processesWithArgument(mark).length).toBeGreaterThan(1)
    host.kill('SIGKILL')
    await until('no process is left', () => processesWithArgument(mark).length === 0)
    await until('no folder is left', () => folders().length === 0)
    await until('no control group is left', () => groupsOf(host.pid ?? 0) === '')
  },
  30_000,
)
