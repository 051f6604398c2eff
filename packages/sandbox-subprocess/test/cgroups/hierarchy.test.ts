import { expect, test } from 'vitest'
import { cgroupMounts, usableHierarchies } from '../../src/cgroups/hierarchy.js'
import { CgroupSlots } from '../../src/cgroups/slots.js'

test('mounts of both versions are read from mountinfo, and nothing else', () => {
  const mountinfo = [
    '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
    '38 31 0:36 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '39 31 0:37 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:3 - cgroup cgroup rw,cpu,cpuacct',
    '42 31 0:39 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate',
    '',
  ].join('\n')
  expect(cgroupMounts(mountinfo)).toEqual([
    { version: 1, mountPoint: '/sys/fs/cgroup/memory', root: '/', options: ['rw', 'memory'] },
    {
      version: 1,
      mountPoint: '/sys/fs/cgroup/cpu,cpuacct',
      root: '/docker/ab',
      options: ['rw', 'cpu', 'cpuacct'],
    },
    { version: 2, mountPoint: '/sys/fs/cgroup/unified', root: '/', options: ['rw', 'nsdelegate'] },
  ])
})

test('places are given one execution at a time, and there are no more than were made', async ({ skip }) => {
  if (usableHierarchies().length === 0)
    skip('no control group can be made here: that needs root, or a delegated one')
  const slots = CgroupSlots.open(`mendloop-${process.pid}-test`)
  const limits = { memoryBytes: 64 * 1024 * 1024, processes: 8 }
  const taken = Array.from({ length: 20 }, () => slots?.take(limits)).filter((slot) => slot !== undefined)
  expect(new Set(taken.map(({ index }) => index)).size).toBe(taken.length)
  expect(taken.length).toBeGreaterThan(0)
  expect(slots?.take(limits)).toBeUndefined()
  expect(taken[0]?.evidence()).toEqual({ oomKilled: false, processesRefused: false })
  taken[0]?.release()
  expect(slots?.take(limits)?.index).toBe(taken[0]?.index)
  await slots?.close()
})
