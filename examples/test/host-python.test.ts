import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkHostPython } from '../demo/host-python.js'
import { freshFolder } from './helpers/start-demo.js'

const { PATH } = process.env
let folder = ''

beforeEach(() => {
  folder = freshFolder()
  process.env['PATH'] = folder
})
afterEach(() => {
  process.env['PATH'] = PATH
})

const python = (script: string): void => {
  writeFileSync(join(folder, 'python3'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'python3'), 0o755)
}
/** A dead one that nobody has collected yet does not run. */
const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
const never = new AbortController().signal

test.each([
  ['echo 2.7.18', 'python3 is Python 2.7.18.'],
  ['echo 3.8.20', 'python3 is Python 3.8.20.'],
  ['echo 3.8.20; exit 1', 'python3 is Python 3.8.20.'],
  ['echo "no libpython" >&2; echo more >&2; exit 127', 'it says: no libpython. Install'],
  ['echo 3.12.1; echo "Traceback (most recent):" >&2; echo "No module named sqlite3" >&2; exit 1', 'sqlite3'],
  ['exit 3', 'The program python3 does not work here. Install'],
])('a python3 that does %j is refused with what it said and what to install', async (script, sentence) => {
  python(script)
  const refused = checkHostPython(never)
  await expect(refused).rejects.toThrow(sentence)
  await expect(refused).rejects.toThrow(
    /Install Python 3\.9 or later, so that "python3" on PATH starts it\.$/,
  )
})

test.each(['3.9.0', '3.14.2'])('Python %s will do', async (version) => {
  python(`echo ${version}`)
  await expect(checkHostPython(never)).resolves.toBeUndefined()
})

test('a missing python3 is said to be missing', async () => {
  await expect(checkHostPython(never)).rejects.toThrow('There is no python3 on PATH. Install')
})

test('a python3 that hangs, together with what it started, is given up', async () => {
  python(`/bin/sleep 600 & echo $! > '${folder}/child'; wait`)
  await expect(checkHostPython(never, 2_000)).rejects.toThrow('did not answer within 2 s')
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'))
  await expect.poll(() => isRunning(child)).toBe(false)
})

test('a stop while python3 hangs ends the wait with the reason of the stop', async () => {
  python('exec /bin/sleep 600')
  const stop = new AbortController()
  const checked = checkHostPython(stop.signal)
  stop.abort(new Error('stopped'))
  await expect(checked).rejects.toThrow('stopped')
})
