// throughput.*: executions a second at concurrency 4, through the warm interpreter over a process for each.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { runProgram, type Sandbox } from '@mendloop/core'
import type { Benchmark, Measurement } from './figure.js'
import { barePython, interleaved, realPython, rounded, spawnToClose } from './measure.js'
import { inTier } from './tier.js'

const AT_ONCE = 4
const EXECUTIONS = 250
const ROUNDS = 5
/** Rounds of both before: the rate that lasts is measured, and Node compiles for the first thousand executions. */
const WARM_UPS = 4

const forkOverSpawn: Benchmark = {
  name: 'throughput.fork.overSpawn',
  unit: 'ratio',
  target: 5,
  fail: 3,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    return await inTier('landlock', {}, (sandbox) => measureIn(sandbox, barePython(python), 'bare spawn'))
  },
}

const namespacesOverBwrap: Benchmark = {
  name: 'throughput.namespaces.overBwrap',
  unit: 'ratio',
  target: 3.6,
  fail: 2.5,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    if (spawnSync('bwrap', ['--version']).status !== 0) return { skipped: 'bwrap is not installed' }
    const program = inBwrap(python)
    return await inTier('namespaces', {}, (sandbox) => measureIn(sandbox, program, 'bwrap by hand'))
  },
}

/** Both of them. */
export const throughputs: readonly Benchmark[] = [forkOverSpawn, namespacesOverBwrap]

async function measureIn(
  sandbox: Sandbox,
  program: readonly [string, ...string[]],
  name: string,
): Promise<Measurement> {
  const fork = (): Promise<number> =>
    rateOf(async () => {
      const { ok, engine, stderr } = await runProgram(sandbox, { files: { 'main.py': 'print("hello")' } })
      if (!ok || engine !== 'runner') throw new Error(`it ran as ${engine} and said: ${stderr.text}`)
    })
  const bare = (): Promise<number> => rateOf(() => spawnToClose(program))
  await interleaved(WARM_UPS, fork, bare)
  const { one, other } = await interleaved(ROUNDS, fork, bare)
  return {
    value: rounded(one / other),
    baseline: { name, value: rounded(other), unit: '/s' },
    samples: ROUNDS * EXECUTIONS,
  }
}

/** Executions a second. */
async function rateOf(execute: () => Promise<unknown>): Promise<number> {
  let left = EXECUTIONS
  const startedAt = performance.now()
  const work = async (): Promise<void> => {
    while (left-- > 0) await execute()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return EXECUTIONS / ((performance.now() - startedAt) / 1000)
}

/** The bare program behind the walls of bubblewrap, without limits or a filter. */
function inBwrap(python: string): [string, ...string[]] {
  const prefix = dirname(dirname(python))
  const links = ['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])
  return [
    'bwrap',
    ...['user', 'pid', 'net', 'ipc', 'uts'].map((name) => `--unshare-${name}`),
    ...['--ro-bind', '/usr', '/usr', ...links, '--ro-bind', prefix, prefix],
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      '--tmpfs',
      '/workspace',
      '--chdir',
      '/workspace',
    ],
    ...['--new-session', '--die-with-parent', '--', ...barePython(python)],
  ]
}
