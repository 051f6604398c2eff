// Promises about the wall clock, and about what outlives a program.
import type { ConformanceCase, ConformanceContext } from '../conformance-case.js'
import { ensure, equal, inShort, NotClaimed } from '../expectations.js'
import { type Departure, type HeartbeatRun, runHeartbeat } from '../heartbeat.js'
import { eventually, hostProcesses, newMark, PATIENT, pause, python } from '../probe.js'

const group = 'deadlines'
const WALL_MS = 1_500
const TIMEOUT = { kind: 'timeout', clock: 'wall', limitMs: WALL_MS }

function inTime({ overrunMs }: ConformanceContext, elapsedMs: number): void {
  const most = WALL_MS + overrunMs
  ensure(elapsedMs >= WALL_MS - 50, `it was ended after ${elapsedMs} ms, before its limit of ${WALL_MS} ms`)
  ensure(elapsedMs <= most, `it settled after ${Math.round(elapsedMs)} ms; the limit was ${WALL_MS} ms`)
}

const limitCase = (name: string, departure: Departure, then: 'hang' | 'deaf'): ConformanceCase => ({
  name,
  group,
  needs: 'python',
  async check(context) {
    const sandbox = await context.open()
    const run = await runHeartbeat(context, sandbox, departure, then, { limits: { wallMs: WALL_MS } })
    equal(run.result.outcome, TIMEOUT, 'the outcome')
    equal(run.result.ok, false, 'ok at the limit')
    inTime(context, run.elapsedMs)
    mustBeGone(context, departure, run)
  },
})

/** What is in reach of any kill must be gone; what left its group only where that is claimed. */
function mustBeGone(
  { facts }: ConformanceContext,
  departure: Departure,
  { alive, result }: HeartbeatRun,
): void {
  if (!alive) {
    ensure(result.leftover !== true, 'the result tells of a leftover, and there is none')
    return
  }
  if (departure === 'same-group' || facts.guarantees.descendants === 'killed')
    throw new Error('a process that the program started is still there')
  const told = result.leftover === true ? 'and the result says so' : 'and the result does not say so'
  throw new NotClaimed(`guarantees.descendants is "best-effort": a process that hid is still there, ${told}`)
}

const endCase = (name: string, departure: Departure): ConformanceCase => ({
  name,
  group,
  needs: 'python',
  async check(context) {
    const sandbox = await context.open()
    const run = await runHeartbeat(context, sandbox, departure, 'end', PATIENT)
    equal(run.result.outcome, { kind: 'exit', code: 0 }, 'the outcome')
    ensure(run.elapsedMs < 8_000, `it settled after ${Math.round(run.elapsedMs)} ms: it waited for the child`)
    mustBeGone(context, departure, run)
  },
})

export const deadlineCases: readonly ConformanceCase[] = [
  {
    name: 'ends a program at the wall limit, says so, and keeps what it had printed',
    group,
    async check(context) {
      const sandbox = await context.open()
      const startedAt = performance.now()
      const command = 'echo out; echo err >&2; sleep 20; echo late'
      const result = await sandbox.exec(command, { limits: { wallMs: WALL_MS } })
      inTime(context, performance.now() - startedAt)
      equal(result.outcome, TIMEOUT, 'the outcome')
      equal(
        [result.ok, result.stdout.text, result.stderr.text],
        [false, 'out\n', 'err\n'],
        'ok and both streams',
      )
    },
  },
  {
    name: 'takes the wall limit of the sandbox for executions that name none',
    group,
    async check(context) {
      const sandbox = await context.open({ limits: { wallMs: WALL_MS } })
      const { outcome } = await sandbox.exec('sleep 20')
      equal(outcome, TIMEOUT, 'the outcome')
    },
  },
  {
    name: 'ends a program that has stopped itself',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const mark = newMark()
      const code = 'import os, signal; print("x", flush=True); os.kill(os.getpid(), signal.SIGSTOP)'
      const startedAt = performance.now()
      const { outcome, stdout } = await sandbox.exec(python(context, code, mark), {
        limits: { wallMs: WALL_MS },
      })
      inTime(context, performance.now() - startedAt)
      equal([outcome, stdout.text], [TIMEOUT, 'x\n'], 'outcome and output')
      ensure(
        await eventually(500, () => hostProcesses(mark).length === 0),
        'the stopped program is still there',
      )
    },
  },
  limitCase('ends a program that ignores every polite signal', 'same-group', 'deaf'),
  limitCase('ends a child in a session of its own that holds the pipes', 'new-session', 'hang'),
  limitCase('ends a daemon that left its parents by two forks', 'daemon', 'hang'),
  endCase('returns at once when a program ends and a child of it holds the pipes', 'same-group'),
  endCase('ends what a program that ended well has left in a session of its own', 'new-session'),
  endCase('ends a daemon that a program that ended well has left', 'daemon'),
  endCase('ends a child that hides: a session of its own, no variables, another folder', 'hidden'),
  {
    name: 'defuses a child that would write a file after the end',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const code = `
import os, sys, time
if os.fork() == 0:
    os.setsid(); time.sleep(1)
    open("bomb.txt", "w").write("late"); os._exit(0)`
      const result = await sandbox.exec(python(context, code), PATIENT)
      ensure(result.outcome.kind === 'exit', `the program ended with ${inShort(result.outcome)}`)
      await pause(1_500)
      const bomb = await sandbox.files.stat('bomb.txt')
      if (bomb !== undefined && context.facts.guarantees.descendants !== 'killed')
        throw new NotClaimed('guarantees.descendants is "best-effort": a child wrote a file after the end')
      equal(bomb, undefined, 'the file that a child wrote after the end')
    },
  },
]
