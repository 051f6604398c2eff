// The filter as the kernel reads it: which calls it refuses, and with what error.
import { describe, expect, test, vi } from 'vitest'
import { syscallFilter } from '../../src/confinement/syscall-filter.js'
import { MendloopError } from '../../src/contract/errors.js'
import { onLinux, requires } from '../helpers/requires.js'
import { isOfKind } from '../helpers/skips.js'
import { type Attempt, errorsOf, underFilters } from './under-filter.js'

// A dozen processes a test, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const [EPERM, ENOENT, EACCES, ENOSYS, EAFNOSUPPORT] = [1, 2, 13, 38, 97]
const onX64 =
  onLinux('the filter of system calls') &&
  isOfKind(process.arch === 'x64', 'tests that try system calls by number need x64')

const strict = syscallFilter({ variant: 'strict', inet: true, architecture: 'x64' })
const offline = syscallFilter({ variant: 'strict', inet: false, architecture: 'x64' })
const runner = syscallFilter({ variant: 'runner', inet: true, architecture: 'x64' })

const expectAll = (attempts: Readonly<Record<string, Attempt>>, error: number): Record<string, number> =>
  Object.fromEntries(Object.keys(attempts).map((name) => [name, error]))

const HIGH_BIT = 2 ** 40
const CLONE_NEWUSER = 0x10000000

describe.runIf(onX64 && requires('python3'))('under the strict filter', () => {
  test('what is not listed is not permitted', async () => {
    const attempts: Record<string, Attempt> = {
      ptrace: [101],
      process_vm_readv: [310, 'parent'],
      pidfd_getfd: [438],
      io_uring_setup: [425, 1, 'buffer'],
      userfaultfd: [323],
      keyctl: [250],
      bpf: [321],
      perf_event_open: [298, 'buffer'],
      mount: [165],
      unshare: [272],
      setns: [308],
      chroot: [161],
      pivot_root: [155],
      open_by_handle_at: [304],
      clock_settime: [227],
      setpriority: [141, 0, 'parent', 5],
      sched_setscheduler: [144, 'parent', 0, 'buffer'],
      shmget: [29, 0, 4096, 0o600],
      mq_open: [240],
      reboot: [169],
    }
    expect(await errorsOf([strict], attempts)).toEqual(expectAll(attempts, EPERM))
  })

  test('an argument that makes a call dangerous is not permitted, whatever stands in its high bits', async () => {
    const attempts: Record<string, Attempt> = {
      'clone into a user namespace': [56, CLONE_NEWUSER | 17],
      TIOCSTI: [16, 0, 0x5412, 'buffer'],
      'TIOCSTI with a high bit': [16, 0, 0x5412 + HIGH_BIT, 'buffer'],
      TIOCLINUX: [16, 0, 0x541c, 'buffer'],
      'limits of another process': [302, 'parent', 7, 0, 'buffer'],
      'processors of another process': [203, 'parent', 128, 'buffer'],
      'PR_SCHED_CORE of another process': [157, 62, 0, 'parent'],
    }
    expect(await errorsOf([strict], attempts)).toEqual(expectAll(attempts, EPERM))
  })

  test('the same calls with other arguments work', async () => {
    const attempts: Record<string, Attempt> = {
      'limits of its own': [302, 0, 7, 0, 'buffer'],
      'processors of its own': [204, 0, 128, 'buffer'],
      'name of the thread': [157, 16, 'buffer'],
      'a pair of sockets': [53, 1, 1, 0, 'buffer'],
      'an internet socket': [41, 2, 1],
    }
    expect(await errorsOf([strict], attempts)).toEqual(expectAll(attempts, 0))
  })

  test('a family of sockets outside the network namespace is not supported', async () => {
    const attempts: Record<string, Attempt> = { vsock: [41, 40, 1], alg: [41, 38, 5], packet: [41, 17, 3] }
    expect(await errorsOf([strict], attempts)).toEqual(expectAll(attempts, EAFNOSUPPORT))
  })

  test('what has a fallback says that it is not there', async () => {
    const attempts: Record<string, Attempt> = { clone3: [435, 'buffer', 88], 'a call of tomorrow': [600] }
    expect(await errorsOf([strict], attempts)).toEqual(expectAll(attempts, ENOSYS))
  })

  test('the x32 numbers are refused, and a call of another architecture ends the process', async () => {
    expect(await errorsOf([strict], { getpid: [39 + 0x40000000] })).toEqual({ getpid: EPERM })
    // mov eax, 20 (getpid); int 0x80; ret
    const program = `
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print('answered')`
    const { signal, stdout } = await underFilters([strict], ['python3', '-I', '-S', '-c', program])
    // SIGSEGV: this kernel has no such calls at all.
    expect(['SIGSYS', 'SIGSEGV']).toContain(signal)
    expect(stdout).toBe('')
  })

  test('what reaches past Landlock or this program works only in namespaces of its own', async () => {
    const attempts: Record<string, Attempt> = {
      'a queue that is not there': [68, 0x7fffffff, 0],
      'watching folders': [294, 0],
      'the owner of a file that is not there': [92, 'buffer', 0, 0],
    }
    const within = syscallFilter({ variant: 'strict', inet: true, namespaces: true, architecture: 'x64' })
    expect(await errorsOf([strict], attempts)).toEqual(expectAll(attempts, EPERM))
    expect(Object.values(await errorsOf([within], attempts))).toEqual([ENOENT, 0, ENOENT])
  })
})

describe.runIf(onX64 && requires('python3'))('without a network', () => {
  test('no socket can be made that could be pointed anywhere', async () => {
    const sockets: Record<string, Attempt> = { inet: [41, 2, 1], unix: [41, 1, 1], netlink: [41, 16, 3] }
    expect(await errorsOf([offline], sockets)).toEqual(expectAll(sockets, EACCES))
    const pairs: Record<string, Attempt> = {
      datagram: [53, 1, 2, 0, 'buffer'],
      tipc: [53, 30, 1, 0, 'buffer'],
    }
    expect(await errorsOf([offline], pairs)).toEqual(expectAll(pairs, EAFNOSUPPORT))
    expect(await errorsOf([offline], { stream: [53, 1, 1 | 0o2000000, 0, 'buffer'] })).toEqual({ stream: 0 })
  })

  test('a pair of datagram sockets, which could reach a named one, cannot be had', async () => {
    // The same program reaches it where nothing forbids: otherwise this test could not fail.
    const program = `
import os, socket
try:
    here, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    here.sendto(b'hello', '\\0mendloop-nobody-' + str(os.getpid()))
except OSError as error:
    print(type(error).__name__)`
    const run = (filters: Uint8Array[]) => underFilters(filters, ['python3', '-I', '-c', program])
    expect((await run([])).stdout).toBe('ConnectionRefusedError\n')
    expect((await run([offline])).stdout).toBe('OSError\n')
  })
})

describe.runIf(onX64 && requires('python3'))('under the filter of the runner', () => {
  test('namespaces may be made, and what a program may not have besides stays refused', async () => {
    expect(await errorsOf([runner], { unshare: [272], setns: [308, HIGH_BIT - 1], bpf: [321] })).toEqual({
      unshare: 0,
      setns: 9,
      bpf: EPERM,
    })
  })

  test('the strict filter put on afterwards takes them away', async () => {
    expect(await errorsOf([runner, strict], { unshare: [272] })).toEqual({ unshare: EPERM })
  })
})

test('a filter has the size the kernel takes, and another architecture another filter', () => {
  expect(strict.length % 8).toBe(0)
  expect(strict.length / 8).toBeLessThan(400)
  expect(syscallFilter({ variant: 'strict', inet: true, architecture: 'arm64' })).not.toEqual(strict)
})

test('an unknown option is refused by name', () => {
  const misspelt = { variant: 'strict', inet: true, architectur: 'x64' } as const
  expect(() => syscallFilter(misspelt)).toThrow(/unknown option "architectur"; did you mean "architecture"/)
  expect(() => syscallFilter(misspelt)).toThrow(MendloopError)
})
