import type { Sandbox } from '@mendloop/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subprocess } from '../../src/index.js'
import { attempt } from '../helpers/attempt.js'
import { pythonSays, workingTiers } from '../helpers/tiers.js'

describe.each(workingTiers)('in the "%s" tier', (tier) => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await subprocess({ isolation: tier, minimum: tier }).create()
  })
  afterAll(() => sandbox.close())

  test.each([
    ['keep a key ring', 'call(248, b"user", b"x", b"y", 1, -3)'],
    ['handle page faults of its own', 'call(323, 0)'],
    ['open an io_uring', 'call(425, 1, b"\\0" * 120)'],
    ['load a BPF program', 'call(321, 0, b"\\0" * 120, 120)'],
    ['read performance counters', 'call(298, b"\\0" * 120, 0, -1, -1, 0)'],
    ['trace a process', 'call(101, 16, os.getppid(), 0, 0)'],
    ['make a user namespace', 'call(272, 0x10000000)'],
    ['mount', 'call(165, b"none", b"/tmp", b"tmpfs", 0, None)'],
    ['open a socket of the virtual machine', 'socket.socket(40, socket.SOCK_STREAM)'],
    ['open a raw socket', 'socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'],
    ['open a packet socket', 'socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'],
    ['set the clock', 'import time\ntime.clock_settime(time.CLOCK_REALTIME, 0)'],
    ['raise its rank', 'os.setpriority(os.PRIO_PROCESS, 0, -10)'],
    ['become root', 'os.setuid(0)'],
    ['read the shadow file', 'open("/etc/shadow").close()'],
    ['read the list of users of the machine', 'open("/etc/passwd").close()'],
    ['write where programs are', 'open("/usr/bin/mendloop-was-here", "w").close()'],
    ['write to the root folder', 'open("/mendloop-was-here", "w").close()'],
    ['write a setting of the kernel', 'open("/proc/sys/kernel/core_pattern", "w").close()'],
    ['write kernel memory', 'open("/dev/mem", "wb").close()'],
    ['reach the container engine', 's = socket.socket(socket.AF_UNIX)\ns.connect("/var/run/docker.sock")'],
    ['make a device', 'import stat\nos.mknod("device", stat.S_IFBLK | 0o600, os.makedev(8, 0))'],
  ])('a program cannot %s', async (_what, source) => {
    expect(await pythonSays(sandbox, attempt(source))).toMatch(/^refused \d+\n$/)
  })
})
