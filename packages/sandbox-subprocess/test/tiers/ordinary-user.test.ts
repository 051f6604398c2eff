import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findTool } from '../../src/tiers/machine.js'
import { workingTiers } from '../helpers/tiers.js'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const UID = '65533'
const SETPRIV = findTool('setpriv') ?? ''
const AS_USER = ['--reuid', UID, '--regid', UID, '--clear-groups', '--inh-caps', '-all']

/** Whether another user can be tried: only root can become one, and that one has to be able to read the sources. */
function canTry(): boolean {
  if (process.getuid?.() !== 0)
    return refuse('only root can become another user; this one is tested by all the others')
  if (SETPRIV === '') return refuse('there is no setpriv here (apt install util-linux)')
  const reading = spawnSync(SETPRIV, [
    ...AS_USER,
    process.execPath,
    '-e',
    `require('fs').readdirSync('${ROOT}')`,
  ])
  return (
    reading.status === 0 ||
    refuse(`uid ${UID} cannot read ${ROOT} or start Node; check the repository out elsewhere`)
  )
}

function refuse(reason: string): false {
  process.stderr.write(`skipped: tests as an ordinary user: ${reason}\n`)
  return false
}

describe.runIf(workingTiers.length > 0 && canTry())('for an ordinary user', () => {
  test('the tiers hold, and its own files stay out of reach', () => {
    const home = mkdtempSync(join(tmpdir(), 'mendloop-user-'))
    try {
      const temporary = join(home, 'tmp')
      mkdirSync(temporary)
      writeFileSync(join(home, 'key'), 'secret')
      for (const path of [home, temporary, join(home, 'key')]) chownSync(path, Number(UID), Number(UID))
      chmodSync(home, 0o700)
      const fixture = fileURLToPath(new URL('../fixtures/tier-report.ts', import.meta.url))
      const argv = [...AS_USER, process.execPath, '--conditions=@mendloop/source', '--import', 'tsx', fixture]
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: temporary }
      const report = JSON.parse(execFileSync(SETPRIV, argv, { cwd: ROOT, env, timeout: 60_000 }).toString())
      for (const tier of workingTiers)
        expect(report[tier]).toMatchObject({
          guarantees: { isolation: tier, network: 'denied', descendants: 'killed', syscalls: 'allow-list' },
          stdout: '42\n',
          changes: ['out.txt'],
          read: 'written',
          theft: [{ kind: 'exit', code: 1 }, ''],
          shell: [{ kind: 'exit', code: 0 }, '2\ndone\n', false],
        })
      expect(report.auto).toBe(workingTiers[0])
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  }, 60_000)
})
