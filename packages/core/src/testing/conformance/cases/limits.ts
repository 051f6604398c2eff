// Promises about memory, processes, processor time, files and disk. What is not claimed must be refused, not ignored.
import { MendloopError } from '../../../contract/errors.js'
import type { ExecutionResult } from '../../../contract/execution.js'
import type { Limits } from '../../../contract/sandbox.js'
import { claims } from '../claims.js'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.js'
import { ensure, equal, inShort, NotClaimed, succeeded } from '../expectations.js'
import { PATIENT, python } from '../probe.js'

const group = 'limits'
const MIB = 1024 * 1024
const WALL_MS = 20_000

/** Runs a program under limits; a limit that is refused by name is not claimed, and the case ends there. */
async function underLimits(
  context: ConformanceContext,
  limits: Partial<Limits>,
  code: string,
): Promise<{ result: ExecutionResult; usable(): Promise<void> }> {
  const sandbox = await context.open()
  try {
    const result = await sandbox.exec(python(context, code), { limits: { wallMs: WALL_MS, ...limits } })
    const usable = async (): Promise<void> => {
      equal(
        succeeded(await sandbox.exec('echo usable', PATIENT), 'the next program'),
        'usable\n',
        'what it printed',
      )
    }
    return { result, usable }
  } catch (error) {
    if (MendloopError.is(error, 'SANDBOX_UNSUPPORTED'))
      throw new NotClaimed(`the sandbox refuses ${error.details.requested}`)
    throw error
  }
}

/** The last number that a program printed. */
const lastNumber = ({ stdout }: ExecutionResult): number => Number(stdout.text.trim().split('\n').at(-1))

/** Tries 150 times; the children end by themselves. */
const FORKS = `
import os, time
children = 0
for _ in range(150):
    try: child = os.fork()
    except OSError: break
    if child == 0:
        time.sleep(2); os._exit(0)
    children += 1
print(children, flush=True)`

/** Takes 16 MiB at a time, 768 at most, and tells how far it came. */
const HOG = `
import os
taken = []
for step in range(1, 49):
    taken.append(bytearray(b"x") * (16 << 20))
    os.write(1, b"%d\\n" % (step * 16))`

/** Ten processes that hold 60 MiB each until all have theirs or are dead, and how many are alive then. */
const HERD = `
import os
(ready, told), (held, hold), children = os.pipe(), os.pipe(), []
for _ in range(10):
    child = os.fork()
    if child == 0:
        os.close(hold)
        taken = bytearray(b"x") * (60 << 20)
        os.write(told, b"."); os.close(told); os.read(held, 1); os._exit(0)
    children.append(child)
os.close(told)
while os.read(ready, 1): pass
os.close(hold)
print([os.waitpid(child, 0)[1] for child in children].count(0), flush=True)`

const FILES = `
opened = []
try:
    for _ in range(400): opened.append(open("/dev/null"))
except OSError: pass
print(len(opened))`

const writesFiles = (count: number): string => `
total = 0
for number in range(${count}):
    try:
        with open("file-%d" % number, "wb", 0) as file:
            for _ in range(4): total += file.write(b"x" * (1 << 20))
    except OSError: pass
print(total)`

const DISK_BYTES = 16 * MIB

function inBounds(files: readonly { readonly sizeBytes?: number }[]): void {
  const total = files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0)
  ensure(total <= DISK_BYTES * 1.1, `${total} bytes were written under a limit of ${DISK_BYTES}`)
}

/** Limits that a sandbox must refuse, unless a guarantee says that it keeps them. */
const UNKEPT: readonly { limit: Partial<Limits>; kept: (context: ConformanceContext) => boolean }[] = [
  { limit: { processes: 40 }, kept: ({ facts }) => facts.guarantees.pids !== 'none' },
  { limit: { memoryBytes: 512 * MIB }, kept: ({ facts }) => facts.guarantees.memory !== 'none' },
  { limit: { diskBytes: 64 * MIB }, kept: ({ facts }) => facts.guarantees.disk === 'bounded' },
]

export const limitCases: readonly ConformanceCase[] = [
  {
    name: 'stops a fork bomb at the limit of processes, and goes on working',
    group,
    needs: 'python',
    requires: claims('pids', 'per-sandbox', 'per-user'),
    async check(context) {
      const { result, usable } = await underLimits(context, { processes: 40 }, FORKS)
      const { kind } = result.outcome
      ensure(kind === 'exit' || kind === 'resource', `the fork bomb ended with ${inShort(result.outcome)}`)
      if (kind === 'exit') {
        const children = lastNumber(result)
        ensure(children <= 40, `${children} children were started under a limit of 40 processes`)
        if (context.facts.guarantees.pids === 'per-sandbox')
          ensure(children >= 20, `only ${children} children could be started under a limit of 40 processes`)
      }
      await usable()
    },
  },
  {
    name: 'stops a program at the limit of memory, and goes on working',
    group,
    needs: 'python',
    requires: claims('memory', 'per-execution', 'per-process'),
    async check(context) {
      const { result, usable } = await underLimits(context, { memoryBytes: 256 * MIB }, HOG)
      equal(result.ok, false, 'ok of a program that took more memory than its limit')
      const reached = lastNumber(result)
      ensure(reached >= 64, `it came no further than ${reached} MiB of a limit of 256`)
      ensure(reached <= 288, `it took ${reached} MiB under a limit of 256`)
      await usable()
    },
  },
  {
    name: 'bounds the memory of all processes of a program together',
    group,
    needs: 'python',
    requires: claims('memory', 'per-execution'),
    async check(context) {
      const { result, usable } = await underLimits(context, { memoryBytes: 256 * MIB }, HERD)
      const count = result.outcome.kind === 'exit' ? lastNumber(result) : 0
      ensure(count * 60 <= 320, `${count} processes held 60 MiB each under a limit of 256`)
      await usable()
    },
  },
  {
    name: 'ends a program at the limit of processor time, and not for time that it slept',
    group,
    needs: 'python',
    async check(context) {
      const { result } = await underLimits(
        context,
        { cpuMs: 1000 },
        'print("x", flush=True)\nwhile True: pass',
      )
      equal(result.outcome, { kind: 'timeout', clock: 'cpu', limitMs: 1000 }, 'the outcome of a busy program')
      equal(result.stdout.text, 'x\n', 'what it had printed')
      const slept = await underLimits(context, { cpuMs: 1000 }, 'import time; time.sleep(2.5)')
      succeeded(slept.result, 'a program that slept for longer than its processor time')
    },
  },
  {
    name: 'bounds the size of one file',
    group,
    needs: 'python',
    async check(context) {
      const { result } = await underLimits(context, { fileBytes: 2 * MIB }, writesFiles(1))
      const { outcome, changes } = result
      const [change] = changes
      ensure(change !== undefined, 'the file that it wrote is not among the changes')
      const { sizeBytes = 0 } = change
      ensure(sizeBytes <= 2 * MIB, `a file of ${sizeBytes} bytes was written under a limit of ${2 * MIB}`)
      ensure(outcome.kind !== 'lost' && outcome.kind !== 'timeout', `it ended with ${inShort(outcome)}`)
    },
  },
  {
    name: 'bounds the open files of a process',
    group,
    needs: 'python',
    async check(context) {
      const { result } = await underLimits(context, { openFiles: 64 }, FILES)
      const opened = Number(succeeded(result, 'opening files'))
      ensure(opened < 64 && opened > 20, `${opened} files were opened under a limit of 64`)
    },
  },
  {
    name: 'bounds the size of the workspace',
    group,
    needs: 'python',
    requires: claims('disk', 'bounded'),
    async check(context) {
      const sandbox = await context.open({ limits: { diskBytes: DISK_BYTES } })
      await sandbox.exec(python(context, writesFiles(16)), PATIENT)
      inBounds(await sandbox.files.list())
      await sandbox.files.remove('file-0')
      succeeded(
        await sandbox.exec('echo usable > small', PATIENT),
        'the next program, after a file was removed',
      )
    },
  },
  {
    name: 'bounds the size of the workspace for one execution, or refuses to',
    group,
    needs: 'python',
    requires: claims('disk', 'bounded'),
    async check(context) {
      const { result, usable } = await underLimits(context, { diskBytes: DISK_BYTES }, writesFiles(16))
      inBounds(result.changes)
      await usable()
    },
  },
  {
    name: 'refuses a limit that it does not keep, instead of ignoring it',
    group,
    async check(context) {
      const { provider } = context
      const sandbox = await context.open()
      for (const { limit, kept } of UNKEPT) {
        if (kept(context)) continue
        const [name] = Object.keys(limit)
        const codes = await Promise.all([
          codeOf(async () => (await provider.create({ limits: limit })).close()),
          codeOf(() => sandbox.exec('true', { limits: limit })),
        ])
        equal(
          codes,
          ['SANDBOX_UNSUPPORTED', 'SANDBOX_UNSUPPORTED'],
          `limits.${name} for create() and for exec()`,
        )
      }
    },
  },
]

/** The code of the error that a call throws, or what happened instead. */
async function codeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
    return 'accepted'
  } catch (error) {
    return MendloopError.is(error) ? error.code : inShort(error)
  }
}
