// Ordinary programs run under the strict filter without a network, as they do without it.
import { describe, expect, test, vi } from 'vitest'
import { syscallFilter } from '../../src/confinement/syscall-filter.js'
import { onLinux, pythonHas, requires } from '../helpers/requires.js'
import { isOfKind } from '../helpers/skips.js'
import { underFilters } from './under-filter.js'

// A dozen processes a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const supported =
  onLinux('programs under the filter') &&
  isOfKind(['x64', 'arm64'].includes(process.arch), 'tests of programs under the filter need x64 or arm64')
const filter = supported ? syscallFilter({ variant: 'strict', inet: false }) : new Uint8Array()

const PYTHON: Record<string, string> = {
  threads: `
import threading
found = []
threads = [threading.Thread(target=found.append, args=(n,)) for n in range(8)]
for one in threads: one.start()
for one in threads: one.join()
print(sorted(found))`,
  subprocess: `
import subprocess
print(subprocess.run(['sh', '-c', 'cat | tr a-z A-Z'], input='shout', capture_output=True, text=True).stdout)`,
  multiprocessing: `
import multiprocessing
with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1, -2, -3]))`,
  asyncio: `
import asyncio
async def main():
    process = await asyncio.create_subprocess_exec('echo', 'hello', stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0], await asyncio.gather(asyncio.sleep(0, 1), asyncio.to_thread(abs, -2)))
asyncio.run(main())`,
  sqlite: `
import sqlite3
base = sqlite3.connect('base.db')
base.execute('create table t (n int)'); base.executemany('insert into t values (?)', [(1,), (2,)]); base.commit()
print(base.execute('select sum(n) from t').fetchall())`,
  'files and their attributes': `
import os, shutil, tempfile, zipfile, pathlib
pathlib.Path('a').write_text('text'); os.chmod('a', 0o755); os.utime('a', (10**9, 10**9)); os.mkfifo('pipe')
shutil.copy2('a', 'b'); os.symlink('a', 'link'); os.replace('b', 'c'); shutil.make_archive('all', 'zip', '.', 'a')
with tempfile.TemporaryFile() as one: one.write(b'x')
print(oct(os.stat('c').st_mode), os.stat('c').st_mtime, zipfile.ZipFile('all.zip').namelist(), os.path.realpath('link') != '')`,
  'signals, timers and memory': `
import signal, mmap, os, time
signal.signal(signal.SIGALRM, lambda *_: print('rang')); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
shared = mmap.mmap(-1, 8192); shared[:2] = b'ok'; print(shared[:2], len(os.urandom(4)), time.monotonic() > 0)`,
  'ssl and resolving': `
import ssl, socket
ssl.create_default_context()
try: socket.getaddrinfo('host.invalid', 80)
except OSError as error: print('no address')
try: socket.socket()
except PermissionError as error: print(error)`,
}

describe.runIf(supported && requires('python3'))('Python under the filter', () => {
  test.each(Object.entries(PYTHON))('%s', async (_name, program) => {
    const argv = ['python3', '-I', '-c', program]
    const { code, stdout, stderr } = await underFilters([filter], argv)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
    if (program.includes('PermissionError')) expect(stdout).toContain('Permission denied')
    else expect(stdout).toBe((await underFilters([], argv)).stdout)
  })

  test.runIf(pythonHas('numpy', { isolated: true }))('numpy with its threads', async () => {
    const program = 'import numpy as n\na = n.ones((300, 300))\nprint((a @ a)[0, 0])'
    const { code, stdout } = await underFilters([filter], ['python3', '-I', '-c', program])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '300.0\n' })
  })
})

describe.runIf(supported && requires('python3'))('other programs under the filter', () => {
  test('Node with timers, files, workers and a child', async () => {
    const program = `
const { execFileSync } = require('node:child_process'), fs = require('node:fs')
const { Worker } = require('node:worker_threads')
fs.writeFileSync('a', 'text'); fs.copyFileSync('a', 'b'); fs.chmodSync('b', 0o700)
fs.promises.readFile('b', 'utf8').then((text) => console.log(text, execFileSync('echo', ['hello'], { encoding: 'utf8' })))
new Worker('require("node:worker_threads").parentPort.postMessage(2)', { eval: true }).on('message', (n) => console.log(n))`
    const { code, stdout, stderr } = await underFilters([filter], [process.execPath, '-e', program])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('text hello')
    expect(stdout).toContain('2\n')
  })

  test('a shell with pipes, jobs and loops', async () => {
    const script = 'for n in 3 1 2; do echo $n; done | sort | tr "\\n" " "; sleep 0 & wait; cd /; pwd'
    const { code, stdout } = await underFilters([filter], ['sh', '-c', script])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1 2 3 /\n' })
  })

  test.runIf(requires('gcc'))('a C program is compiled and runs', async () => {
    const source = '#include <stdio.h>\\nint main(void) { puts("compiled"); return 3; }'
    const script = `printf '${source}' > main.c && gcc -O2 -o main main.c && ./main`
    const { code, stdout } = await underFilters([filter], ['sh', '-c', script])
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'compiled\n' })
  })
})
