// What stands between the candidate's process and the judge's, tried from the candidate's side.
import { describe, expect, test } from 'vitest'
import { pythonTests } from '../../src/verify/python-tests.js'
import { verdictOn } from '../helpers/local-sandbox.js'
import { onLinux, requires } from '../helpers/requires.js'

const PROBES = `
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
JUDGE = os.getppid()

def status(field):
    with open('/proc/self/status') as lines:
        return next(line.split()[1] for line in lines if line.startswith(field + ':'))

def opened(path, flags):
    try:
        os.close(os.open('/proc/%d/%s' % (JUDGE, path), flags))
    except OSError:
        return []
    return [path]

def read(path):
    try:
        with open('/proc/%d/%s' % (JUDGE, path), 'rb', 0) as file:
            return [path] if file.read(1) else []
    except OSError:
        return []

def reached():
    """What of the judge this process can open, trace, read or write."""
    found = []
    for path in ('environ', 'maps', 'auxv', 'stack', 'syscall'):
        found += read(path)
    found += opened('mem', os.O_RDONLY) + opened('mem', os.O_RDWR) + opened('root', os.O_RDONLY)
    for descriptor in range(32):
        found += opened('fd/%d' % descriptor, os.O_RDONLY) + opened('fd/%d' % descriptor, os.O_WRONLY)
    if libc.ptrace(16, JUDGE, None, None) == 0:
        found.append('ptrace')
    buffer = ctypes.create_string_buffer(8)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
    remote = (ctypes.c_void_p * 2)(id(None), 8)
    for name in ('process_vm_readv', 'process_vm_writev'):
        if getattr(libc, name)(JUDGE, local, 1, remote, 1, 0) == 8:
            found.append(name)
    PIDFD_OPEN, PIDFD_GETFD = 434, 438
    pidfd = libc.syscall(PIDFD_OPEN, JUDGE, 0)
    if pidfd >= 0:
        found += ['pidfd_getfd %d' % fd for fd in range(32) if libc.syscall(PIDFD_GETFD, pidfd, fd, 0) >= 0]
    return found

def reached_after_exec():
    import subprocess, sys
    code = 'import sys; sys.path.insert(0, "."); import solution, os; solution.JUDGE = int(sys.argv[1]); print(solution.reached())'
    return subprocess.run([sys.executable, '-c', code, str(JUDGE)], capture_output=True, text=True).stdout.strip()

def reached_in_new_namespace():
    pid = os.fork()
    if pid == 0:
        os._exit(0 if libc.unshare(0x10000000) != 0 or not reached() else 1)
    return os.waitpid(pid, 0)[1]

def powers():
    return [status(field) for field in ('CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs')]

def same_group():
    return os.getpgrp() == os.getpgid(JUDGE)
`

const canProbe = onLinux('how private the judge is') && requires('python3')

describe.runIf(canProbe)('The judge', () => {
  test("cannot be opened, traced, read or written by the candidate, not even by root's", async () => {
    const tests = `
from solution import *
def test_directly():
    assert reached() == []
def test_after_exec():
    assert reached_after_exec() == '[]'
def test_in_a_user_namespace_of_its_own():
    assert reached_in_new_namespace() == 0
`
    const verdict = await verdictOn(pythonTests(tests), PROBES)

    expect(verdict).toMatchObject({ status: 'pass', failures: [] })
  })

  test('leaves the candidate no capability, and in reach of the kill of the whole group', async () => {
    const tests = `
from solution import *
def test_powers():
    effective, permitted, bounding, no_new = powers()
    assert int(effective, 16) == int(permitted, 16) == 0
    assert no_new == '1'
def test_group():
    assert same_group()
`
    expect(await verdictOn(pythonTests(tests), PROBES)).toMatchObject({ status: 'pass', failures: [] })
  })
})
