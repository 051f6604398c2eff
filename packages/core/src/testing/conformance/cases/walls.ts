// Promises about what a program cannot reach: files, processes, networks and system calls outside. Only what is claimed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '../../../contract/sandbox.js'
import { all, claims, onLinux, servers } from '../claims.js'
import type { ConformanceCase, ConformanceContext, ConformanceServer } from '../conformance-case.js'
import { ensure, equal, succeeded } from '../expectations.js'
import { newMark, openCanary, PATIENT, pause, quietly, runPython } from '../probe.js'
import { FORBIDDEN_CALLS } from './forbidden-calls.js'

const group = 'walls'
const needs = 'python'
const deniesNetwork = claims('network', 'denied')
const closesFiles = claims('files', 'private-root', 'allow-list')

/** Answers of a system that has no way to the address, or does not let a program look for one. */
const ROUTE = `
import errno, json, socket
def reaches(family, address):
    try:
        # Connecting a datagram socket looks for a route and sends nothing.
        with socket.socket(family, socket.SOCK_DGRAM) as probe: probe.connect((address, 9))
        return True
    except OSError: return False
print(json.dumps([reaches(socket.AF_INET, "192.0.2.1"), reaches(socket.AF_INET6, "2001:db8::1")]))`

/** Arguments: a TCP port, the path of a unix socket, the name of an abstract one. */
const CONNECTS = `
import json, socket, sys
def connects(family, address):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.settimeout(2); probe.connect(address); probe.sendall(b"hello")
        return True
    except OSError: return False
port, path, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
print(json.dumps({
    "tcp": connects(socket.AF_INET, ("127.0.0.1", port)),
    "unix": bool(path) and connects(socket.AF_UNIX, path),
    "abstract": bool(name) and connects(socket.AF_UNIX, "\\0" + name),
}))`

/** Command lines and variables of every process that it sees. */
const SEES = `
import json, os
seen = {"cmdline": [], "environ": []}
try: names = os.listdir("/proc")
except OSError: names = []
for name in filter(str.isdigit, names):
    for kind in seen:
        try:
            with open("/proc/%s/%s" % (name, kind), "rb") as file: seen[kind].append(file.read(200000).decode("latin-1"))
        except OSError: pass
print(json.dumps(seen))`

/** Sends a signal that does no harm; prints what the system said. */
const SIGNALS = `
import os, signal, sys
try: os.kill(int(sys.argv[1]), signal.SIGURG); print("sent")
except OSError as error: print(error.errno)`

interface Seen {
  readonly cmdline: readonly string[]
  readonly environ: readonly string[]
}

const seenBy = async (context: ConformanceContext, sandbox: Sandbox): Promise<Seen> => {
  const limits = { ...PATIENT.limits, outputBytes: 16 * 1024 * 1024 }
  const result = await sandbox.exec([context.python, '-c', SEES], { limits })
  return JSON.parse(succeeded(result, 'looking at processes')) as Seen
}

async function openServer(context: ConformanceContext): Promise<ConformanceServer> {
  const server = await context.facts.host?.listen()
  ensure(server !== undefined, 'no servers outside were given')
  context.afterwards(() => server.close())
  return server
}

export const wallCases: readonly ConformanceCase[] = [
  {
    name: 'lets a program read no file outside that it was not given',
    group,
    requires: closesFiles,
    async check(context) {
      const canary = await openCanary(context)
      const sandbox = await context.open()
      const command = `cat '${canary.path}'; ls '${canary.folder}'; ln -s '${canary.path}' soft; cat soft; ln '${canary.path}' hard; cat hard; cat /proc/1/root'${canary.path}' /proc/self/root'${canary.path}'; true`
      const { stdout } = await sandbox.exec(command, PATIENT)
      ensure(!stdout.text.includes(canary.secret), 'the program read the secret outside')
      ensure(!stdout.text.includes('secret.txt'), 'the program listed the folder outside')
    },
  },
  {
    name: 'lets a program write no file outside',
    group,
    requires: closesFiles,
    async check(context) {
      const canary = await openCanary(context)
      const sandbox = await context.open()
      const planted = join(canary.folder, 'planted.txt')
      await sandbox.exec(
        `echo x >> '${canary.path}'; echo x > '${planted}'; rm -rf '${canary.folder}'; true`,
        PATIENT,
      )
      equal(
        [await canary.content(), existsSync(planted)],
        [canary.secret, false],
        'the secret outside and what was planted',
      )
    },
  },
  {
    name: 'lets a program signal no process outside',
    group,
    needs,
    requires: claims('processes', 'own-namespace', 'signal-scope'),
    async check(context) {
      const sandbox = await context.open()
      let received = 0
      const count = (): void => void received++
      process.on('SIGURG', count)
      context.afterwards(() => void process.off('SIGURG', count))
      const answer = succeeded(
        await runPython(context, sandbox, SIGNALS, String(process.pid)),
        'sending a signal',
      )
      await pause(50)
      equal(received, 0, 'signals of the program that reached this process')
      // In a namespace of its own the number may be somebody else's.
      if (context.facts.guarantees.processes === 'signal-scope')
        ensure(answer.trim() !== 'sent', 'the program was let send a signal to this process')
    },
  },
  {
    name: 'shows a program no process outside',
    group,
    needs,
    requires: all(claims('processes', 'own-namespace'), onLinux),
    async check(context) {
      const { cmdline } = await seenBy(context, await context.open())
      const own = quietly('/proc/self/cmdline')
      ensure(!cmdline.includes(own), 'the program saw the command line of this process')
    },
  },
  {
    name: 'shows a program the variables of no process outside',
    group,
    needs,
    requires: all(onLinux, (facts) => {
      const { files, processes } = facts.guarantees
      return files !== 'same-user' || processes !== 'none' || 'neither files nor processes are closed'
    }),
    async check(context) {
      const { environ } = await seenBy(context, await context.open())
      const own = readFileSync('/proc/self/environ', 'latin1').slice(0, 200_000)
      const secret = newMark()
      const other = await context.open({ env: { OTHER_SECRET: secret } })
      const running = other.exec('echo ready; sleep 1', PATIENT)
      const later = await seenBy(context, await context.open())
      await running
      ensure(own === '' || !environ.includes(own), 'the program read the variables of this process')
      ensure(
        !later.environ.some((one) => one.includes(secret)),
        'the program read the variables of another sandbox',
      )
    },
  },
  {
    name: 'has no route to any network',
    group,
    needs,
    requires: deniesNetwork,
    async check(context) {
      const printed = succeeded(await runPython(context, await context.open(), ROUTE), 'looking for a route')
      equal(JSON.parse(printed), [false, false], 'whether an IPv4 and an IPv6 address can be reached')
    },
  },
  {
    name: 'lets a program reach no server of this machine: TCP, unix socket, abstract socket',
    group,
    needs,
    requires: all(deniesNetwork, servers),
    async check(context) {
      const server = await openServer(context)
      const { port, socketPath = '', abstractName = '' } = server
      const sandbox = await context.open()
      const printed = succeeded(
        await runPython(context, sandbox, CONNECTS, String(port), socketPath, abstractName),
        'connecting',
      )
      equal(
        JSON.parse(printed),
        { tcp: false, unix: false, abstract: false },
        'what the program could connect to',
      )
      equal(server.connections(), 0, 'connections that reached the servers outside')
    },
  },
  {
    name: 'lets a program make no system call that is not on its list',
    group,
    needs,
    requires: claims('syscalls', 'allow-list'),
    async check(context) {
      const printed = succeeded(
        await runPython(context, await context.open(), FORBIDDEN_CALLS),
        'making system calls',
      )
      equal(JSON.parse(printed), {}, 'system calls that were answered by the kernel and not by the filter')
    },
  },
]
