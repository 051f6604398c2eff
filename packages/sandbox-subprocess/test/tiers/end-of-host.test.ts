import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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

/** Ids of processes that were started with this folder for temporary files, or work in it. */
function processesOf(place: string): string[] {
  const says = (pid: string): string => {
    try {
      return `${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0cwd=${readlinkSync(`/proc/${pid}/cwd`)}\0`
    } catch {
      return ''
    }
  }
  const marks = [`TMPDIR=${place}\0`, `\0cwd=${place}/`]
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && marks.some((mark) => says(name).includes(mark)),
  )
}

const moments = [0.05, 0.2, 0.35, 0.5, 0.7, 0.9]

test.runIf(workingTiers.length > 0).each(workingTiers)(
  'a host that is killed while it opens its first "%s" sandbox leaves nothing, at whatever moment',
  async (tier) => {
    const place = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
    chmodSync(place, 0o755)
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
    const start = async (): Promise<ChildProcess> => {
      const host = fork(new URL('../fixtures/first-sandbox.ts', import.meta.url), [tier], {
        cwd: new URL('../../../..', import.meta.url),
        execArgv: ['--conditions=@mendloop/source', '--import', 'tsx'],
        env: { ...process.env, TMPDIR: place },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      onTestFinished(() => void host.kill('SIGKILL'))
      await once(host, 'message')
      return host
    }
    const measured = await start()
    const startedAt = performance.now()
    await once(measured, 'message')
    const openMs = performance.now() - startedAt
    const hosts = [measured]
    measured.kill('SIGKILL')
    for (const moment of moments) {
      const host = await start()
      await delay(openMs * moment)
      host.kill('SIGKILL')
      hosts.push(host)
    }
    const folders = (): string[] => readdirSync(place).filter((name) => name.startsWith('mendloop-'))
    await until('no process is left', () => processesOf(place).length === 0)
    await until('no folder is left', () => folders().length === 0)
    for (const { pid = 0 } of hosts) await until('no control group is left', () => groupsOf(pid) === '')
  },
  60_000,
)
