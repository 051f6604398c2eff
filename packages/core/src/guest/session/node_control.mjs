// The control process: alone holds the session's descriptors, passes frames on, and replaces the worker, in which the
// code of the user runs, when it has died or does not let itself be interrupted.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { watchCell } from './node_evidence.mjs'
import * as framing from './node_framing.mjs'
import { descendants, isOutOfMemory, send, signalGroup } from './node_processes.mjs'
import { writeAll } from './node_streams.mjs'

const MOST_FROM_WORKER = 63 * 1024 * 1024
const MOST_STILLBORN = 10
/** More than V8 writes below the line that says why it ends. */
const COMPLAINT_CHARACTERS = 16 * 1024
const DRAIN_BYTES = 4 * 1024 * 1024

/** Serves the host until it has gone. */
export function main({ options, programs }) {
  process.on('SIGINT', () => undefined)
  let cell = 0
  /** Of the present cell: it runs; it is to be interrupted; how often it has been. */
  let isStarted = false
  let isInterrupted = false
  let interrupts = 0
  /** What a worker has still to begin: if it dies before, its successor gets it. */
  let request
  let nonce = randomBytes(framing.NONCE_BYTES)
  let nonceBefore = nonce
  /** Number of the last replacement that the host asked for. */
  let replacement = 0
  /** Workers in a row that have ended by themselves before they ran a cell. */
  let stillborn = 0
  /** What is seen of the present cell. */
  let seen
  let worker = startWorker()
  tell(framing.HELLO, 0, framing.asJson(hello()), framing.MAGIC)
  tell(framing.READY, 0)

  const fromHost = framing.frameReader()
  process.stdin.on('data', (chunk) => {
    for (const { type, id, payload } of fromHost(chunk)) {
      if (type === framing.RUN) {
        cell = id
        request = payload
        isInterrupted = false
        give()
      } else if (type === framing.INTERRUPT && id === cell) {
        isInterrupted = true
        interrupt()
      } else if (type === framing.REPLACE) {
        replacement = id
        // Whatever it has not begun is over, too.
        request = undefined
        worker.offspring = descendants(worker.child.pid)
        worker.child.kill('SIGKILL')
      } else if (type === framing.REPLY) answer(id, payload)
    }
  })
  process.stdin.on('end', leave).on('error', leave)

  /** The present cell to the present worker. */
  function give() {
    isStarted = false
    seen?.stop()
    seen = watchCell(worker.child.pid)
    const wasInterrupted = Buffer.from([interrupts > 0 ? 1 : 0])
    interrupts = 0
    nonceBefore = nonce
    nonce = randomBytes(framing.NONCE_BYTES)
    worker.commands.write(framing.pack(framing.RUN, cell, Buffer.concat([nonce, wasInterrupted, request])))
  }

  /** Passes an interrupt on once there is something to interrupt: before, it would be lost. */
  function interrupt() {
    if (!isStarted || !isInterrupted) return
    isInterrupted = false
    // It may wait for a child and hear nothing meanwhile, as in execSync(): the second one is for both.
    if (++interrupts === 2) signalGroup(worker, 'SIGINT')
    else worker.child.kill('SIGINT')
  }

  /** The host has gone: nobody stays behind. */
  function leave() {
    worker.offspring = descendants(worker.child.pid)
    end(worker)
    process.exit(0)
  }

  function startWorker() {
    const child = spawn(process.execPath, ['--no-warnings', '-e', programs.node_bootstrap, '3'], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const [, stdout, stderr, commands, up, replies] = child.stdio
    const started = {
      child,
      stdout,
      stderr,
      commands,
      up,
      replies,
      call: 0,
      nextCall: undefined,
      bytes: 0,
      /** The last that it wrote to standard error. */
      complaint: '',
      isSpoilt: false,
      /** Processes that it had started when its end was asked for; absent: nobody has. */
      offspring: undefined,
    }
    // One that has just died is told by its end.
    for (const stream of child.stdio) stream?.on('error', () => undefined)
    child.on('error', leave)
    stdout.on('data', (chunk) => output(started, framing.STDOUT, chunk))
    stderr.on('data', (chunk) => output(started, framing.STDERR, chunk))
    const fromWorker = framing.frameReader(MOST_FROM_WORKER)
    up.on('data', (chunk) => {
      started.bytes += chunk.length
      try {
        for (const frame of fromWorker(chunk)) void hear(started, frame)
      } catch {
        // From here on nothing can be told apart. Whoever wrote there has spoilt their own cell, and no other.
        started.isSpoilt = true
        request = undefined
        child.kill('SIGKILL')
      }
    })
    child.on('exit', (code, signal) => void replace(started, code, signal))
    const setup = framing.asJson({ programs, options, entry: 'node_worker' })
    const head = Buffer.alloc(4)
    head.writeUInt32BE(setup.length)
    commands.write(Buffer.concat([head, setup]))
    return started
  }

  /** What the code of the user wrote. */
  function output(from, type, chunk) {
    from.bytes += chunk.length
    if (type === framing.STDERR)
      from.complaint = (from.complaint + chunk.toString('latin1')).slice(-COMPLAINT_CHARACTERS)
    tell(type, from === worker ? cell : 0, chunk)
  }

  /** A frame of the worker, or of somebody who has found its channel: one without the cell's nonce is dropped. */
  async function hear(from, { type, id, payload }) {
    if (from !== worker) return
    const given = payload.subarray(0, framing.NONCE_BYTES)
    // A timer may call while the next cell is on its way; that one's nonce it cannot know yet.
    if (!given.equals(nonce) && !(type === framing.CALL && given.equals(nonceBefore))) return
    const rest = payload.subarray(framing.NONCE_BYTES)
    if (type === framing.CALL) {
      // Whoever made the call that is not answered yet has been interrupted, and no longer waits.
      if (from.call === 0) ask(from, id, rest)
      else from.nextCall = { id, rest }
    } else if (id === cell && type === framing.STARTED) {
      isStarted = true
      request = undefined
      stillborn = 0
      interrupt()
    } else if (id === cell && cell !== 0 && type === framing.DISPLAY) tell(type, id, rest)
    else if (id === cell && cell !== 0 && type === framing.DONE) {
      const ended = cell
      await drain(from)
      if (cell !== ended || from !== worker) return
      tell(type, id, rest)
      cell = 0
      seen?.stop()
      seen = undefined
    }
  }

  function answer(id, payload) {
    if (id !== worker.call) return
    worker.call = 0
    const next = worker.nextCall
    worker.nextCall = undefined
    if (next !== undefined) ask(worker, next.id, next.rest)
    // Whoever does not take its answers is given no more to ask for.
    worker.up.pause()
    worker.replies.write(framing.pack(framing.REPLY, id, payload), () => worker.up.resume())
  }

  function ask(from, id, payload) {
    from.call = id
    tell(framing.CALL, id, payload)
  }

  async function replace(ended, code, signal) {
    await drain(ended)
    const ran = request === undefined ? cell : 0
    nonce = nonceBefore = randomBytes(framing.NONCE_BYTES)
    end(ended)
    const found = seen?.found() ?? {}
    const how =
      signal === null
        ? { kind: 'exit', code: code ?? 0 }
        : { kind: 'signal', signal, ...found, outOfMemory: isOutOfMemory(ended, signal, found) }
    seen?.stop()
    seen = undefined
    tell(framing.DIED, ran, framing.asJson(ended.isSpoilt ? { kind: 'spoilt' } : how))
    if (ended.offspring === undefined && ++stillborn > MOST_STILLBORN) {
      process.stderr.write('no worker lives long enough to run a cell\n')
      process.exit(1)
    }
    worker = startWorker()
    tell(framing.READY, replacement)
    if (request === undefined) cell = 0
    else give()
  }
}

/** What a cell has written lies in the pipes before it says that it is done: reads until a whole round brings nothing. */
async function drain(worker) {
  const most = worker.bytes + DRAIN_BYTES
  for (let before = -1; before !== worker.bytes && worker.bytes < most; ) {
    before = worker.bytes
    // The second turn has been to the pipes in between.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Ends a worker with all that is still in its group. */
function end(worker) {
  signalGroup(worker, 'SIGKILL')
  for (const pid of worker.offspring ?? []) send(pid, 'SIGKILL')
  for (const stream of worker.child.stdio) stream?.destroy()
}

/** One frame to the host. */
function tell(type, id, payload = Buffer.alloc(0), before = Buffer.alloc(0)) {
  try {
    writeAll(1, Buffer.concat([before, framing.pack(type, id, payload)]))
  } catch {
    process.exit(0)
  }
}

const hello = () => ({
  protocol: 1,
  language: 'javascript',
  version: process.versions.node,
  executable: process.execPath,
})
