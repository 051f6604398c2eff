// Children that show that they live: each writes to a file of the workspace, until they are killed or ten seconds are over.

import type { ExecutionResult } from '../../contract/execution.js'
import type { ExecOptions, Sandbox } from '../../contract/sandbox.js'
import type { ConformanceContext } from './conformance-case.js'
import { ensure } from './expectations.js'
import { eventually, hostProcesses, newMark, pause, python } from './probe.js'

/** How a child leaves the program that started it. */
export type Departure = 'same-group' | 'new-session' | 'daemon' | 'hidden'

const BEAT_FILE = 'beat'

/** Arguments: mark, departure, what the program does then (`hang`, `end`, `deaf`). */
const PROGRAM = `
import os, signal, subprocess, sys, time
mark, way, then = sys.argv[1:4]
path = os.path.abspath("${BEAT_FILE}")
beat = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGHUP, signal.SIG_IGN)
end = time.time() + 10
with open(sys.argv[1], "ab", 0) as beat:
    while time.time() < end: beat.write(b"."); time.sleep(0.02)
"""
child = [sys.executable, "-I", "-S", "-c", beat, path, mark]
if way == "same-group": subprocess.Popen(child)
elif way == "new-session": subprocess.Popen(child, start_new_session=True)
elif way == "hidden": subprocess.Popen(child, start_new_session=True, env={}, cwd="/")
elif os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execv(child[0], child)
    os._exit(0)
while not (os.path.exists(path) and os.path.getsize(path)): time.sleep(0.01)
if then == "deaf":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT): signal.signal(number, signal.SIG_IGN)
print("started", flush=True)
end = time.time() + 20
while then != "end" and time.time() < end: time.sleep(0.05)
`

/** A program with a child that lives on, and what is left of it. */
export interface HeartbeatRun {
  readonly result: ExecutionResult
  /** From the call to its answer. */
  readonly elapsedMs: number
  /** True when the child still lives. */
  readonly alive: boolean
}

/** Runs the program and looks whether its child lives on. */
export async function runHeartbeat(
  context: ConformanceContext,
  sandbox: Sandbox,
  departure: Departure,
  then: 'hang' | 'end' | 'deaf',
  options: ExecOptions,
): Promise<HeartbeatRun> {
  const mark = newMark()
  const startedAt = performance.now()
  const result = await sandbox.exec(python(context, PROGRAM, mark, departure, then), options)
  const elapsedMs = performance.now() - startedAt
  ensure(
    result.stdout.text === 'started\n',
    `the program with a child did not start: ${result.stderr.text.slice(-300)}`,
  )
  return { result, elapsedMs, alive: await isAlive(sandbox, mark) }
}

async function isAlive(sandbox: Sandbox, mark: string): Promise<boolean> {
  const beats = async (): Promise<number> => (await sandbox.files.stat(BEAT_FILE))?.sizeBytes ?? 0
  const before = await beats()
  ensure(before > 0, 'the child of the program left no sign of life')
  await pause(150)
  if ((await beats()) !== before) return true
  return !(await eventually(500, () => hostProcesses(mark).length === 0))
}
