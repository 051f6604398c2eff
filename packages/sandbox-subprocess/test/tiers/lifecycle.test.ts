import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subprocess } from '../../src/index.js'
import { childrenOfThisProcess, processesWithArgument, until } from '../helpers/processes.js'
import { openTier, pythonSays, workingTiers } from '../helpers/tiers.js'

/** What a sandbox could leave behind in this process and on this machine. */
function remains() {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    children: childrenOfThisProcess().length,
    folders: ownFolders(),
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length,
    groups: ownGroups().length,
  }
}

/** Folders of sandboxes. */
const ownFolders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('mendloop-'))

/** Control groups that this process has made. */
const ownGroups = (): string[] =>
  execFileSync('/bin/sh', ['-c', `find /sys/fs/cgroup -name 'mendloop-${process.pid}-*' 2>/dev/null || true`])
    .toString()
    .split('\n')
    .filter(Boolean)

// A place of its own, which everybody may enter: other test files open sandboxes at the same time.
beforeAll(() => {
  const place = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
  chmodSync(place, 0o755)
  process.env['TMPDIR'] = place
})

afterAll(() => rmSync(tmpdir(), { recursive: true, force: true }))

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  const provider = subprocess({ isolation: tier, minimum: tier })

  test('ten sandboxes opened, used and closed leave nothing behind', async () => {
    // The guardian and what else is shared by all are there from the first on.
    await (await provider.create()).close()
    const before = remains()
    for (let round = 0; round < 5; round++) {
      const pair = await Promise.all([provider.create(), provider.create()])
      const daemon = 'setsid sleep 60 & echo started'
      const results = await Promise.all(pair.map((one) => one.exec(daemon)))
      expect(results.map(({ stdout }) => stdout.text)).toEqual(['started\n', 'started\n'])
      await Promise.all(pair.map((one) => one.close()))
    }
    expect(remains()).toEqual(before)
  }, 60_000)

  test('close ends what runs as aborted, and can be called twice', async () => {
    const sandbox = await provider.create()
    const running = sandbox.exec('echo started; sleep 60', {
      limits: { wallMs: 60_000 },
      onOutput: () => void sandbox.close(),
    })
    expect((await running).outcome).toEqual({ kind: 'aborted' })
    await Promise.all([sandbox.close(), sandbox.close()])
    await expect(sandbox.exec('true')).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
    await expect(sandbox.runner?.()).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
  })

  test('when the runner is lost, what runs is told as lost; the next program runs, and the files are there', async () => {
    const known = new Set(childrenOfThisProcess())
    const sandbox = await openTier(tier)
    await sandbox.files.write({ 'kept.txt': 'kept' })
    const mark = randomUUID()
    const source =
      'import os, time\nif os.fork(): os.write(1, b"partial\\n")\nelse: os.setsid()\ntime.sleep(60)'
    const running = sandbox.exec(['python3', '-c', source, mark], {
      limits: { wallMs: 60_000 },
      onOutput: () => {
        for (const child of childrenOfThisProcess())
          if (!known.has(child) && isRunner(child)) process.kill(child, 'SIGKILL')
      },
    })
    const result = await running
    expect(result).toMatchObject({ outcome: { kind: 'lost' }, stdout: { text: 'partial\n' } })
    await until('its program is gone', () => processesWithArgument(mark).length === 0)
    expect(await pythonSays(sandbox, 'print(open("kept.txt").read())')).toBe('kept\n')
    expect(await sandbox.files.readText('kept.txt')).toBe('kept')
  })

  test('the runner of a sandbox runs Python without starting an interpreter, and goes with the sandbox', async () => {
    const sandbox = await openTier(tier)
    const runner = await sandbox.runner?.()
    expect(runner?.hello).toMatchObject({ confinement: tier, syscallFilter: true })
    await sandbox.close()
    await expect(runner?.lost).resolves.toEqual(expect.any(String))
  })

  test('executions side by side keep to themselves', async () => {
    const sandbox = await openTier(tier)
    const numbers = Array.from({ length: 12 }, (_, index) => index)
    const results = await Promise.all(numbers.map((n) => sandbox.exec(`echo ${n}; exit ${n}`)))
    expect(results.map(({ stdout }) => stdout.text)).toEqual(numbers.map((n) => `${n}\n`))
    expect(results.map(({ outcome }) => outcome)).toEqual(numbers.map((code) => ({ kind: 'exit', code })))
  })

  test('a process with open pipes is written to, read from and killed', async () => {
    const sandbox = await openTier(tier)
    const cat = await sandbox.spawn?.(['cat'])
    await cat?.write('hello ')
    await cat?.write('there')
    cat?.end()
    let text = ''
    for await (const { data } of cat?.output ?? []) text += Buffer.from(data).toString()
    expect(text).toBe('hello there')
    expect(await cat?.outcome).toEqual({ kind: 'exit', code: 0 })
    const sleeper = await sandbox.spawn?.(['sleep', '60'], { limits: { wallMs: 60_000 } })
    sleeper?.kill()
    expect(await sleeper?.outcome).toEqual({ kind: 'aborted' })
  })

  test('a command text longer than an argument runs all the same', async () => {
    const sandbox = await openTier(tier)
    const result = await sandbox.exec(`: ${'x'.repeat(200_000)}\necho done; pwd`, {})
    expect(result).toMatchObject({ ok: true, stdout: { text: `done\n${sandbox.workdir}\n` }, changes: [] })
  })

  test('standard input known in full is read to its end, and large', async () => {
    const sandbox = await openTier(tier)
    const stdin = Buffer.alloc(20 * 1024 * 1024, 'x')
    const result = await sandbox.exec({ argv: ['wc', '-c'], stdin })
    expect(result.stdout.text.trim()).toBe(String(stdin.length))
  })

  test('files of the host belong to the program that finds them', async () => {
    const sandbox = await openTier(tier)
    await sandbox.files.write({ 'deep/er/a.txt': 'a' })
    const source =
      'open("deep/er/a.txt", "a").write("b")\nopen("deep/er/b.txt", "w")\nimport os\nos.remove("deep/er/b.txt")'
    await pythonSays(sandbox, source)
    expect(await sandbox.files.readText('deep/er/a.txt')).toBe('ab')
  })
})

/** A runner is a process that was handed a Python program on its command line; behind bubblewrap, its first process. */
function isRunner(pid: number): boolean {
  const commandLine = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
  return commandLine.includes('\0-I\0-S\0-E\0-B\0-c\0')
}

const PROGRAMS = {
  exec: `process.stdout.write((await sandbox.exec('echo used')).stdout.text)`,
  runProgram: `process.stdout.write((await runProgram(sandbox, 'print("used")')).stdout.text)`,
  spawn: `
const child = await sandbox.spawn(['/bin/sh', '-c', 'echo used; sleep 1000'], { limits: { cpuMs: 1_000_000 } })
for await (const { data } of child.output) {
  process.stdout.write(data)
  break
}
child.unref?.()`,
}

describe.each(['process', ...workingTiers] as const)('a forgotten sandbox of the "%s" tier', (tier) => {
  // A process of a runner does not keep this one alive in any case once it says nothing any more.
  const programs = Object.entries(PROGRAMS).filter(([name]) => name !== 'spawn' || tier === 'process')

  test.each(programs)(
    'does not keep its program from ending after %s',
    async (_, program) => {
      const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)
      const source = `
import { runProgram } from ${from('../../../core/src/index.ts')}
import { subprocess } from ${from('../../src/index.ts')}
const sandbox = await subprocess({ isolation: '${tier}', minimum: '${tier}' }).create()
${program}`
      const argv = ['--conditions=@mendloop/source', '--import', 'tsx', '--input-type=module', '-e', source]
      const cwd = new URL('../../../..', import.meta.url)
      expect(execFileSync(process.execPath, argv, { cwd, timeout: 60_000 }).toString()).toBe('used\n')
      await until('its folder is gone', () => ownFolders().length === 0)
    },
    60_000,
  )
})
