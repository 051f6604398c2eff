// Fixtures run as an ordinary user, also by root: bundled, so that this user need not be able to read the repository.
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { onTestFinished } from 'vitest'
import { isPresent } from '../../../core/test/helpers/skips.js'
import { findTool } from '../../src/tiers/machine.js'

const UID = 65_533
const SETPRIV = findTool('setpriv') ?? 'setpriv'
const AS_USER = ['--reuid', `${UID}`, '--regid', `${UID}`, '--clear-groups', '--inh-caps', '-all']

const isRoot = process.getuid?.() === 0

/** Whether this process is an ordinary user, or can start Node as one. */
export function canRunAsUser(): boolean {
  return isPresent(
    !isRoot || spawnSync(SETPRIV, [...AS_USER, process.execPath, '--version'], { cwd: '/' }).status === 0,
    `tests as an ordinary user cannot run here: they need setpriv (apt-get install util-linux) and a Node that others can start, not ${process.execPath}`,
  )
}

/** Runs `fixtures/<name>.ts` as an ordinary user whose home holds a `key`, and gives what it printed, read as JSON. */
export async function runAsUser(name: string, env: NodeJS.ProcessEnv = {}, timeout = 60_000) {
  const home = mkdtempSync(join(tmpdir(), 'mendloop-user-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const temporary = join(home, 'tmp')
  mkdirSync(temporary)
  writeFileSync(join(home, 'key'), 'secret')
  await bundle(name, home)
  if (isRoot) for (const path of [home, temporary, join(home, 'key')]) chownSync(path, UID, UID)
  chmodSync(home, 0o700)
  const [file = '', ...args] = [...(isRoot ? [SETPRIV, ...AS_USER] : []), process.execPath]
  const { stdout } = await promisify(execFile)(file, [...args, join(home, `${name}.mjs`)], {
    cwd: home,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: temporary, ...env },
    timeout,
    maxBuffer: 16 * 1024 ** 2,
  })
  return JSON.parse(stdout)
}

/** Writes a fixture and all that it imports into one module. */
async function bundle(name: string, outDir: string): Promise<void> {
  const conditions = ['@mendloop/source', 'node', 'import', 'default']
  await build({
    configFile: false,
    envFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url)),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
    },
  })
}
