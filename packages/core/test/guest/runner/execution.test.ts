// The fork runner starting programs: how they end, what they are given, and that nothing of them is left.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { confinementsHere, openRunner } from '../../helpers/open-runner.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])

describe.each(kinds)('a program started by the fork runner in %s', (confinement) => {
  test('ends with its exit code, its output and what it used', async () => {
    const { exec } = await openRunner(confinement)
    const end = await exec('echo out; echo err >&2; exit 3')
    expect(end).toMatchObject({
      how: { kind: 'exit', code: 3 },
      stdout: 'out\n',
      stderr: 'err\n',
      leftover: false,
    })
    expect(end.cpuMs).toBeGreaterThan(0)
    expect(end.peakMemoryBytes).toBeGreaterThan(100_000)
  })

  test('ends with the signal that killed it, also a real-time one', async () => {
    const { exec } = await openRunner(confinement)
    expect((await exec('kill -SEGV $$')).how).toEqual({ kind: 'signal', signal: 'SIGSEGV' })
    expect((await exec('kill -KILL $$')).how).toEqual({ kind: 'signal', signal: 'SIGKILL' })
    expect((await exec('kill -40 $$')).how).toEqual({ kind: 'signal', signal: 'SIG40' })
  })

  test('is told as not started, with the reason, when it cannot be executed', async () => {
    const { exec, workspace } = await openRunner(confinement)
    writeFileSync(join(workspace, 'text'), 'no program', { mode: 0o644 })
    writeFileSync(join(workspace, 'garbage'), 'no program', { mode: 0o755 })
    const codes = []
    for (const argv of [['no-such-program'], ['./none'], ['./text'], ['./garbage'], []]) {
      const { how, stdout, stderr } = await exec(argv)
      expect(stdout + stderr).toBe('')
      codes.push(how.kind === 'not-started' ? how.code : how)
    }
    expect(codes).toEqual(['ENOENT', 'ENOENT', 'EACCES', 'ENOEXEC', 'EINVAL'])
    const long = await exec(['/bin/true', 'x'.repeat(300_000)])
    expect(long.how).toMatchObject({ kind: 'not-started', code: 'E2BIG' })
    const elsewhere = await exec(['/bin/true'], { cwd: 'nowhere' })
    expect(elsewhere.how).toMatchObject({ kind: 'not-started', code: 'ENOENT' })
    expect((await exec(['/bin/true'])).how).toEqual({ kind: 'exit', code: 0 })
  })

  test('sees the variables it was given and no others, in the folder that was asked for', async () => {
    const { exec, workspace } = await openRunner(confinement)
    await exec('mkdir -p deep/er')
    const { stdout } = await exec(['/usr/bin/env'], { env: { ONLY: 'ünly' }, cwd: 'deep/er' })
    expect(stdout).toBe('ONLY=ünly\n')
    expect((await exec(['pwd'], { cwd: 'deep/er' })).stdout).toBe(`${join(workspace, 'deep/er')}\n`)
  })

  test('is looked for on its own PATH', async () => {
    const { exec, workspace } = await openRunner(confinement)
    await exec('mkdir bin; printf "#!/bin/sh\\necho mine\\n" > bin/tool; chmod +x bin/tool')
    const env = { PATH: `/nonexistent:${join(workspace, 'bin')}` }
    expect((await exec(['tool'], { env })).stdout).toBe('mine\n')
  })

  test('reads end of file at once, bytes as a file that can be opened again, or what is written', async () => {
    const { exec, start } = await openRunner(confinement)
    expect(await exec(['cat'])).toMatchObject({ stdout: '', how: { kind: 'exit', code: 0 } })
    const twice = await exec('head -c 2; cat /dev/stdin', { stdin: Buffer.from('abcdef') })
    expect(twice.stdout).toBe('ababcdef')
    const { execution, done } = start({ program: { kind: 'argv', argv: ['cat'] }, stdin: 'pipe' })
    await execution.write(Buffer.from('x'.repeat(300_000)))
    execution.endInput()
    expect((await done).stdout).toHaveLength(300_000)
  })

  test('may end without reading its input', async () => {
    const { start } = await openRunner(confinement)
    const { execution, done } = start({ program: { kind: 'argv', argv: ['true'] }, stdin: 'pipe' })
    await execution.write(Buffer.alloc(1_000_000))
    expect((await done).how).toEqual({ kind: 'exit', code: 0 })
  })

  test('waits while its output is not taken, and goes on afterwards', async () => {
    const { start } = await openRunner(confinement)
    const flood = 'echo started; head -c 1000000 /dev/zero; touch written; echo; echo end'
    const { execution, done, said } = start({ program: { kind: 'argv', argv: ['/bin/sh', '-c', flood] } })
    await said('started')
    execution.pause(true)
    execution.pause(false)
    expect((await done).stdout.length).toBe('started\n'.length + 1_000_000 + '\nend\n'.length)
  })

  test('is heard no further than the most that is wanted of it, and killed while it waits', async () => {
    const { start } = await openRunner(confinement)
    const { execution, done } = start({
      program: { kind: 'argv', argv: ['/bin/sh', '-c', 'cat /dev/zero & cat /dev/zero >&2'] },
      mostOutputBytes: 100_000,
    })
    await setTimeout(300)
    // Told to go on, as whoever kills it does, it still is not heard.
    execution.pause(false)
    await setTimeout(100)
    execution.kill()
    const { how, stdout, stderr } = await done
    expect(how).toMatchObject({ kind: 'signal' })
    const heard = stdout.length + stderr.length
    expect(heard).toBeGreaterThan(100_000)
    // A piece beyond it, and what both pipes held when it died.
    expect(heard).toBeLessThan(100_000 + 3 * 65_536)
  })

  test('is killed with all that it started, also when it is stopped and ignores signals', async () => {
    const { start } = await openRunner(confinement)
    const program = 'trap "" TERM INT HUP; (setsid sleep 1000 &); echo ready; kill -STOP $$'
    const { execution, done, said } = start({ program: { kind: 'argv', argv: ['/bin/sh', '-c', program] } })
    await said('ready')
    const before = performance.now()
    execution.kill()
    expect(await done).toMatchObject({ how: { kind: 'signal', signal: 'SIGKILL' }, leftover: false })
    expect(performance.now() - before).toBeLessThan(2_000)
  })

  test('leaves no daemon and no time bomb, and loses nothing that was written before', async () => {
    const { exec, workspace } = await openRunner(confinement)
    const bomb = '(setsid sh -c "echo from-daemon; sleep 3; touch bomb" &) ; sleep 0.1; echo bye'
    const end = await exec(bomb)
    expect(end).toMatchObject({ how: { kind: 'exit', code: 0 }, leftover: false })
    expect(end.stdout.split('\n').sort()).toEqual(['', 'bye', 'from-daemon'])
    // Longer than the bomb would have taken.
    await exec('sleep 3.5')
    expect(existsSync(join(workspace, 'bomb'))).toBe(false)
  })

  test('leaves nobody the time to do something about the end of another', async () => {
    const { exec, workspace } = await openRunner(confinement)
    // Each of them waits for its child, and would go on when that is killed first; of many, ids come in every order.
    const bombs = '(setsid sh -c "sleep 30; touch bomb" >/dev/null 2>&1 &);'.repeat(16)
    for (let round = 0; round < 8; round++)
      expect(await exec(`${bombs} sleep 0.1`)).toMatchObject({
        how: { kind: 'exit', code: 0 },
        leftover: false,
      })
    expect(existsSync(join(workspace, 'bomb'))).toBe(false)
  })

  test('runs beside others, each with its own output', async () => {
    const { exec } = await openRunner(confinement)
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, index) => exec(`sleep 0.0${index % 5}; echo ${index}`)),
    )
    expect(ends.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 12 }, (_, index) => `${index}\n`))
  })
})
