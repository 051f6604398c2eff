// What an inventory says is what this machine has, whoever measures it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Command, Sandbox } from '../../../src/contract/sandbox.js'
import { clearInventories, inventory } from '../../../src/guest/inventory/inventory.js'
import { localSandbox } from '../../helpers/local-sandbox.js'
import { onLinux, onPosix, requires } from '../../helpers/requires.js'

const LONG = { timeout: 60_000 }

afterEach(clearInventories)

/** A sandbox that counts what is run in it, and can be told to change it. */
async function observed(change: (command: Command) => Command = (command) => command) {
  const sandbox = await localSandbox()
  onTestFinished(() => sandbox.close())
  let runs = 0
  const exec: Sandbox['exec'] = (command, options) => {
    runs += 1
    return sandbox.exec(change(command), options)
  }
  return { sandbox: { ...sandbox, exec }, runs: () => runs }
}

/** Python is not found, the rest is. */
const withoutPython = (command: Command): Command =>
  typeof command === 'object' && 'argv' in command && command.argv[0] === 'python3'
    ? ['/nowhere/python3']
    : command

const inPython = (expression: string): string =>
  spawnSync('python3', ['-I', '-c', `import os, sys, platform; print(${expression})`], {
    encoding: 'utf8',
  }).stdout.trim()

describe.runIf(requires('python3'))('An inventory', () => {
  test('names the interpreter, its packages with their import names, and executables', LONG, async () => {
    const { sandbox } = await observed()
    const found = await inventory(sandbox)
    expect(found.python).toMatchObject({
      version: inPython('platform.python_version()'),
      executable: inPython('sys.executable'),
    })
    expect(found.executables['python3']?.version).toMatch(/^3\.\d+/)
    expect(found.node?.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(found.isRoot).toBe(process.geteuid?.() === 0)
    expect(found.locale).toMatch(/UTF-?8/i)
    expect(found.writableFolders).toContain(sandbox.workdir)
    expect(spawnSync('ls', ['-A', sandbox.workdir], { encoding: 'utf8' }).stdout).toBe('')
    for (const one of found.python?.packages ?? []) {
      expect(one.version).not.toBe('')
      expect(one.imports.every((name) => /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name))).toBe(true)
    }
  })

  test.runIf(onLinux('limits seen from inside'))(
    'says the limits that the kernel really enforces',
    LONG,
    async () => {
      const limited = (command: Command): Command => {
        if (typeof command === 'string' || !('argv' in command)) return command
        const script = 'ulimit -n 200; ulimit -t 77; ulimit -f 4096; exec taskset -c 0 "$@"'
        return { ...command, argv: ['/bin/sh', '-c', script, 'sh', ...command.argv] }
      }
      const { sandbox } = await observed(limited)
      const { limits, cpuCount, memoryBytes } = await inventory(sandbox)
      expect(limits).toMatchObject({ openFiles: 200, cpuSeconds: 77, fileBytes: 4096 * 512 })
      expect(cpuCount).toBe(1)
      expect(memoryBytes).toBeGreaterThan(64 * 1024 * 1024)
    },
  )

  test('passes over packages whose metadata is broken, and counts them', LONG, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mendloop-packages-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const metadata: Record<string, string> = {
      'sound-1.0': 'Name: sound\nVersion: 1.0\n',
      'nameless-1.0': 'Version: 1.0\n',
      'binary-1.0': '\u0000\u0001',
      'unversioned-1.0': 'Name: unversioned\n',
    }
    for (const [name, text] of Object.entries(metadata)) {
      mkdirSync(join(folder, `${name}.dist-info`))
      writeFileSync(join(folder, `${name}.dist-info`, 'METADATA'), text)
    }
    writeFileSync(join(folder, 'sound-1.0.dist-info', 'RECORD'), 'noise/__init__.py,,\nhum.py,,\n../x,,\n')
    const { sandbox } = await observed((command) =>
      typeof command === 'object' && 'argv' in command
        ? { ...command, env: { ...command.env, PYTHONPATH: folder } }
        : command,
    )
    const { python } = await inventory(sandbox)
    expect(python?.packages).toContainEqual({ name: 'sound', version: '1.0', imports: ['hum', 'noise'] })
    expect(python?.packages.map(({ name }) => name)).not.toContain('unversioned')
    expect(python?.packagesOmitted).toBeGreaterThanOrEqual(3)
  })
})

/** Answers as the guest program does, at once. */
async function answering() {
  const facts = { executables: {}, limits: {}, network: 'none', writableFolders: [], isRoot: false }
  return await observed((command) => {
    const word = typeof command === 'object' && 'argv' in command ? command.argv[5] : ''
    return ['echo', `${word}${JSON.stringify(facts)}`]
  })
}

describe.runIf(onPosix('inventories'))('A measurement', () => {
  const options = { environment: 'of the test' }

  test('is made once for a sandbox', async () => {
    const { sandbox, runs } = await answering()
    expect(await inventory(sandbox)).toBe(await inventory(sandbox))
    expect(runs()).toBe(1)
  })

  test('is made once for an environment, also for two at once, and again when it was cleared', async () => {
    const [one, other] = [await answering(), await answering()]
    const asked = [inventory(one.sandbox, options), inventory(other.sandbox, options)]
    const [first, second] = await Promise.all(asked)
    expect(second).toBe(first)
    expect([one.runs(), other.runs()]).toEqual([1, 0])
    clearInventories()
    await inventory(other.sandbox, options)
    expect(other.runs()).toBe(1)
  })

  test('is not shared by sandboxes with other guarantees', async () => {
    const [one, other] = [await answering(), await answering()]
    await inventory(one.sandbox, options)
    const stronger = { ...other.sandbox.guarantees, network: 'denied' } as const
    await inventory({ ...other.sandbox, guarantees: stronger }, options)
    expect(other.runs()).toBe(1)
  })

  test('is made by the next one when the sandbox of the first is lost', async () => {
    const good = await answering()
    const lost: Sandbox = { ...good.sandbox, exec: () => Promise.reject(new Error('lost')) }
    const asked = [inventory(lost, options), inventory(good.sandbox, options)]
    const [first, second] = await Promise.allSettled(asked)
    expect(first?.status).toBe('rejected')
    expect(second?.status).toBe('fulfilled')
  })

  test('is waited for no longer than its caller wants, and goes on for the others', async () => {
    const { sandbox, runs } = await answering()
    const call = new AbortController()
    const waiting = inventory(sandbox, { signal: call.signal })
    call.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
    await inventory(sandbox)
    expect(runs()).toBe(1)
  })
})

describe('Without Python', () => {
  test.runIf(onPosix('inventories'))('the shell tells what it can', LONG, async () => {
    const { sandbox, runs } = await observed(withoutPython)
    const found = await inventory(sandbox)
    expect(runs()).toBe(2)
    expect(found.python).toBeUndefined()
    expect(found.network).toBe('unknown')
    expect(found.node?.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(found.cpuCount).toBeGreaterThanOrEqual(1)
    expect(found.limits.openFiles).toBeGreaterThan(10)
    expect(found.writableFolders).toContain(sandbox.workdir)
    expect(found.isRoot).toBe(process.geteuid?.() === 0)
  })

  describe.runIf(onPosix('inventories') && requires('javac'))('within a limit on memory', () => {
    const under = (command: Command): Command =>
      typeof command === 'object' && 'argv' in command
        ? { ...command, argv: ['/bin/sh', '-c', 'ulimit -d 262144; exec "$@"', 'sh', ...command.argv] }
        : command

    test.each([
      ['Python', (command: Command) => command],
      ['the shell', withoutPython],
    ])('%s tells the version of Java, which by itself would want more', LONG, async (_, change) => {
      const { sandbox } = await observed((command) => under(change(command)))
      const { executables } = await inventory(sandbox)
      expect(executables['java']?.version).toMatch(/^\d+/)
      expect(executables['javac']?.version).toMatch(/^\d+/)
      expect(spawnSync('ls', ['-A', sandbox.workdir], { encoding: 'utf8' }).stdout).toBe('')
    })
  })

  test('and without a shell it says what it tried', async () => {
    const { sandbox } = await observed(() => ['/nowhere/at-all'])
    await expect(inventory(sandbox)).rejects.toThrow(/could run neither Python nor a shell/)
  })
})
