// What stands between the candidate's process and the judge's, in each tier, tried from the candidate's side.
import { subprocess } from '@mendloop/sandbox-subprocess'
import { describe, expect, test } from 'vitest'
import { workingTiers } from '../../../../sandbox-subprocess/test/helpers/tiers.js'
import { onLinux, requires } from '../../helpers/requires.js'
import { judged } from './judged.js'

const SNOOP = `
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, constants, writeFileSync, readFileSync } from 'node:fs'
const judge = process.ppid
const opens = (name, flags) => { try { closeSync(openSync(\`/proc/\${judge}/\${name}\`, flags)); return [name] } catch { return [] } }
export const reached = () => [
  ...['environ', 'maps', 'root', 'mem'].flatMap((name) => opens(name, constants.O_RDONLY)), ...opens('mem', constants.O_RDWR),
  ...Array.from({ length: 32 }, (_, fd) => [...opens('fd/' + fd, constants.O_RDONLY), ...opens('fd/' + fd, constants.O_WRONLY)]).flat(),
]
const PYTHON = \`
import ctypes, sys
libc, judge, found = ctypes.CDLL(None, use_errno=True), int(sys.argv[1]), []
if libc.ptrace(16, judge, None, None) == 0: found.append('ptrace')
held = ctypes.create_string_buffer(8)
here, there = (ctypes.c_void_p * 2)(ctypes.addressof(held), 8), (ctypes.c_void_p * 2)(0, 8)
for name in ('process_vm_readv', 'process_vm_writev'):
    if getattr(libc, name)(judge, here, 1, there, 1, 0) >= 0 or ctypes.get_errno() == 14: found.append(name)
pidfd = libc.syscall(434, judge, 0)
if pidfd >= 0: found += ['fd %d' % fd for fd in range(32) if libc.syscall(438, pidfd, fd, 0) >= 0]
print(found)
\`
export const traced = () => execFileSync('python3', ['-c', PYTHON, String(judge)], { encoding: 'utf8' }).trim()
export const command = () => { try { return readFileSync(\`/proc/\${judge}/cmdline\`, 'utf8') } catch { return '' } }
export const moves = () => { writeFileSync('a.txt', 'x'); return execFileSync('sh', ['-c', 'mkdir -p d && mv a.txt d/ && cat d/a.txt'], { encoding: 'utf8' }) }
`
const TESTS = `
import assert from 'node:assert'
import { reached, traced, command, moves } from './solution.mjs'
assert.deepStrictEqual(reached(), [])
assert.equal(traced(), '[]')
assert.ok(!command().includes('deepStrictEqual(reached'))
assert.equal(moves(), 'x')
`
const F =
  "import assert from 'node:assert'\nimport { f } from './solution.mjs'\nassert.strictEqual(await f(2), 4)\n"
const tools = requires('node') && requires('python3')
const tiers = onLinux('what walls keep apart') && tools ? [...workingTiers, 'process' as const] : []

describe.each(tiers)('In the "%s" tier', (tier) => {
  const sandbox = () => subprocess({ isolation: tier, minimum: tier }).create()
  const limits = { wallMs: 30_000 }

  test('the judge cannot be opened, traced, read or changed by the program', {
    timeout: 60_000,
  }, async () => {
    const verdict = await judged(SNOOP, TESTS, { sandbox, limits })
    expect(verdict).toMatchObject({ status: 'pass', failures: [], integrity: 'separate' })
  })

  test.for([
    [
      'right',
      'export const f = async (x) => { await new Promise((r) => setTimeout(r, 20)); return 2 * x }',
      'pass',
    ],
    ['wrong', 'export const f = (x) => x', 'fail'],
    ['leaving', 'process.exit(0)', 'fail'],
    ['killing', "try { process.kill(process.ppid, 'SIGKILL') } catch {}\nexport const f = () => 5", 'fail'],
    ['lying', 'export const f = () => ({ valueOf: () => 4, [Symbol.toPrimitive]: () => 4 })', 'fail'],
  ] as const)('a program that is %s is judged so', { timeout: 60_000 }, async ([, program, status]) => {
    const verdict = await judged(program, F, { sandbox, limits })
    expect(verdict).toMatchObject({ status, integrity: 'separate' })
  })
})
