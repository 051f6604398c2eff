// The worker: the process in which the cells run, one after the other, all in one global scope.
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import { Cells } from './node_cells.mjs'
import { Displays } from './node_displays.mjs'
import * as framing from './node_framing.mjs'
import { createHost, HostError } from './node_host.mjs'
import { kept, takeBack } from './node_lending.mjs'
import { hasDescriptors, restoreStreams, takeOverStreams, writeAll } from './node_streams.mjs'

const COMMANDS = 3
const UP = 4
const REPLIES = 5

/** Sets up this freshly started process and serves until the control process has gone. */
export function main({ options, importHere }) {
  let cell = 0
  let nonce = Buffer.alloc(0)
  /** Calls to the application, where cells may make any. */
  let calls
  takeOverStreams()
  const send = (type, id, payload) => writeAll(UP, framing.pack(type, id, Buffer.concat([nonce, payload])))
  const displays = new Displays((bundle) => send(framing.DISPLAY, cell, framing.asJson(bundle)))
  hidden('display', displays.display)
  if (options.hostNames !== null) {
    calls = createHost(options.hostNames, (id, payload) => send(framing.CALL, id, payload))
    hidden('host', calls.host)
    hidden('HostError', HostError)
    const frames = framing.frameReader()
    const replies = new Socket({ fd: REPLIES, readable: true, writable: false })
    replies.on('data', (chunk) =>
      kept(() => {
        for (const { id, payload } of frames(chunk)) calls.take(id, payload)
      }),
    )
  }
  const { workspace, locals } = options
  const cells = new Cells({ workspace, displays, importHere, hidden, locals })
  // After the cells' own, so that an interrupted cell ends as interrupted.
  process.on('SIGINT', () => kept(() => calls?.drop()))

  const frames = framing.frameReader()
  const commands = new Socket({ fd: COMMANDS, readable: true, writable: false })
  commands.on('end', () => process.reallyExit(0))
  commands.on('data', (chunk) => {
    // No cell runs now.
    takeBack()
    for (const { type, id, payload } of frames(chunk)) if (type === framing.RUN) void run(id, payload)
  })

  async function run(id, payload) {
    // A fresh process takes this cell on.
    if (!hasDescriptors()) return process.reallyExit(0)
    cell = id
    nonce = payload.subarray(0, framing.NONCE_BYTES)
    restoreStreams()
    calls?.start(id)
    displays.start()
    const request = JSON.parse(payload.subarray(framing.NONCE_BYTES + 1).toString('utf8'))
    if (payload[framing.NONCE_BYTES] === 1) {
      cells.takeLateInterrupt()
      await new Promise((resolve) => setImmediate(resolve))
    }
    send(framing.STARTED, id, Buffer.alloc(0))
    const report = await cells.run(request)
    // What a cell that failed still asks for, nobody waits for; others go on, behind the calls of the next.
    if (!report.ok) calls?.drop()
    send(framing.DONE, id, framing.asJson(report))
  }
}

/** Puts something into the global scope without listing it there. */
function hidden(name, value) {
  Object.defineProperty(globalThis, name, { value, enumerable: false, configurable: true, writable: true })
}
