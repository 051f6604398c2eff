import { expect, test } from 'vitest'
import { bubblewrapArguments } from '../../src/tiers/bubblewrap-arguments.js'
import { seatbeltProfile } from '../../src/tiers/seatbelt-profile.js'
import { quoted, veilOrders } from '../../src/tiers/veil.js'

const WALL = {
  readOnly: ['/usr', '/opt/python'],
  links: { '/bin': 'usr/bin' },
  folders: {
    workspace: '/tmp/x/work',
    home: '/tmp/x/home',
    scripts: '/tmp/x/scripts',
    hosts: '/tmp/x/hosts',
  },
  tmpBytes: 1024,
  shmBytes: 512,
  sharesNetwork: false,
  filterDescriptor: 3,
}

test('the wall of namespaces takes away network, processes, IPC, names, capabilities and the terminal', () => {
  const all = bubblewrapArguments(WALL)
  for (const one of ['user', 'pid', 'net', 'ipc', 'uts']) expect(all).toContain(`--unshare-${one}`)
  const text = all.join(' ')
  expect(text).toContain('--uid 65534 --gid 65534')
  expect(text).toContain('--cap-drop ALL --new-session --die-with-parent --seccomp 3')
  expect(text).toContain('--remount-ro /')
  // Nothing is written to but the workspace, the home beside it and what is in memory.
  expect(all.filter((one) => one === '--bind')).toHaveLength(2)
  expect(text).toContain('--bind /tmp/x/home /home/sandbox')
  expect(text).toContain('--bind /tmp/x/work /workspace')
})

test('an interpreter below /tmp is put there after the empty /tmp', () => {
  const all = bubblewrapArguments({ ...WALL, readOnly: ['/tmp/venv'] })
  expect(all.lastIndexOf('/tmp/venv')).toBeGreaterThan(all.indexOf('--tmpfs'))
})

test('the network is shared only when it is asked for', () => {
  const shared = bubblewrapArguments({ ...WALL, sharesNetwork: true })
  expect(shared).not.toContain('--unshare-net')
  expect(shared).not.toContain('/etc/hosts')
})

test('the profile for a Mac denies by default, writes to the given folders alone and has no network', () => {
  const profile = seatbeltProfile({ readOnly: ['/opt/py'], writable: ['/tmp/"x"\\y'], sharesNetwork: false })
  expect(profile).toMatch(/^\(version 1\)\n\(deny default\)\n/)
  expect(profile).toContain('(subpath "/opt/py")')
  expect(profile).toContain(String.raw`(subpath "/tmp/\"x\"\\y")`)
  expect(profile.match(/file-write\*/g)).toHaveLength(1)
  expect(profile).not.toContain('(allow network')
  expect(seatbeltProfile({ readOnly: [], writable: [], sharesNetwork: true })).toContain('(allow network*)')
  for (const [open, close] of [['(', ')']] as const)
    expect(profile.split(open)).toHaveLength(profile.split(close).length)
})

test('a veil keeps what is shown aside, covers the folder, and puts it back read-only', () => {
  const orders = veilOrders([{ over: '/root', shown: ['/root/.pyenv/versions/3.11'] }], '/tmp/x/aside')
  const steps = [
    "mount --bind '/root/.pyenv",
    'mount -t tmpfs',
    "mount --bind '/tmp/x/aside/0'",
    'remount,bind,ro',
  ]
  const positions = steps.map((step) => orders.findIndex((order) => order.includes(step)))
  expect(positions).toEqual([...positions].sort((a, b) => a - b))
  expect(positions).not.toContain(-1)
})

test('a path is one word for the shell, whatever is in it', () => {
  expect(quoted("/it's; rm $(x)")).toBe(String.raw`'/it'\''s; rm $(x)'`)
})
