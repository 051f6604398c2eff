import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  cgroupMounts,
  freshGroupName,
  removeOrphans,
  usableHierarchies,
} from '../../src/cgroups/hierarchy.js'
import { CgroupSlots, type Slot } from '../../src/cgroups/slots.js'
import { canBound } from '../helpers/cgroups.js'

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

test.runIf(canBound('memory'))(
  'places are given one execution at a time, and there are no more than were made',
  async () => {
    const slots = CgroupSlots.open(freshGroupName())
    const limits = { memoryBytes: 64 * 1024 * 1024, processes: 8 }
    if (slots === undefined) throw new Error('none were made')
    const taken: Slot[] = []
    while (slots.hasFree()) taken.push(slots.take(limits))
    expect(new Set(taken.map(({ index }) => index)).size).toBe(taken.length)
    expect(taken.length).toBeGreaterThan(0)
    expect(() => slots.take(limits)).toThrow(/no place is free/)
    expect(taken[0]?.evidence()).toEqual({ oomKilled: false, processesRefused: false })
    const given: [string, number][] = []
    const wait = (name: string) => slots.whenFree(() => void given.push([name, slots.take(limits).index]))
    wait('first')
    const giveUp = wait('second')
    wait('third')
    giveUp()
    taken[0]?.release()
    expect(given).toEqual([['first', taken[0]?.index]])
    taken[1]?.release()
    expect(given.at(-1)).toEqual(['third', taken[1]?.index])
    await slots.close()
  },
)

test.runIf(canBound('memory'))(
  'groups of a host that is gone are removed, those of one that lives stay',
  () => {
    const folder = usableHierarchies()[0]?.folder ?? ''
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    const own = freshGroupName()
    const [orphan, alive, elsewhere] = [
      join(folder, own.replace(String(process.pid), String(gone))),
      join(folder, own),
      // A host in another process namespace may well live, and have that number there.
      join(folder, own.replace(/^mendloop-\d+-\d+/u, `mendloop-${gone}-1`)),
    ]
    const all = [orphan, alive, elsewhere]
    onTestFinished(() => {
      for (const path of all.filter(existsSync)) rmdirSync(path)
    })
    for (const path of [...all, join(orphan, '0')]) mkdirSync(path)
    removeOrphans(folder)
    expect(all.map(existsSync)).toEqual([false, true, true])
  },
)
