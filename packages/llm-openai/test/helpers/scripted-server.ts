// A local HTTP server that plays scripts: answers byte by byte, cut anywhere, stalls, resets. It records what it was asked.
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** One thing the server does; after the last step the response ends. */
export type Step =
  | { readonly send: string | Uint8Array; readonly piece?: number }
  | { readonly pingEveryMs: number }
  | 'hold'
  | 'reset'

/** One answer. */
export interface Script {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  /** Nothing is sent before the first step when false, so that the head itself can be held back. Default true. */
  readonly sendHead?: boolean
}

/** One request as it came. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  readonly atMs: number
}

/** A running server. */
export interface ScriptedServer extends AsyncDisposable {
  readonly baseURL: string
  readonly requests: readonly ReceivedRequest[]
  /** Sockets that clients hold open now. */
  openSockets(): number
  /** Resolves when no socket is open any more, and fails after a second. */
  socketsClosed(): Promise<void>
  /** Resolves when the next step that waits (`hold`, pings) has begun. */
  readonly holding: Promise<void>
}

/** Starts a server whose nth answer is the nth script; the last one is played again for further requests. */
export async function startServer(...scripts: readonly Script[]): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const changes = new EventEmitter()
  let began = (): void => undefined
  const holding = new Promise<void>((resolve) => {
    began = resolve
  })
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? {} : JSON.parse(text),
      atMs: performance.now(),
    })
    const script = scripts[Math.min(requests.length, scripts.length) - 1]
    if (script !== undefined) await play(script, response, began)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket
      .on('error', () => undefined)
      .on('close', () => {
        sockets.delete(socket)
        changes.emit('close')
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    holding,
    openSockets: () => sockets.size,
    async socketsClosed() {
      const deadline = AbortSignal.timeout(1_000)
      while (sockets.size > 0) await once(changes, 'close', { signal: deadline })
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server, 'close')
    },
  }
}

async function play(script: Script, response: ServerResponse, began: () => void): Promise<void> {
  response.writeHead(script.status ?? 200, script.headers ?? { 'content-type': 'text/event-stream' })
  if (script.sendHead !== false) response.flushHeaders()
  for (const step of script.steps) {
    if (step === 'hold') return began()
    if (step === 'reset') {
      // What was written leaves at the end of this turn of the event loop; a reset would drop it.
      await new Promise(setImmediate)
      response.socket?.resetAndDestroy()
      return
    }
    if ('pingEveryMs' in step) {
      const pings = setInterval(() => response.write(': ping\n\n'), step.pingEveryMs)
      response.on('close', () => clearInterval(pings))
      return began()
    }
    const bytes = Buffer.from(step.send)
    const piece = step.piece ?? bytes.length
    for (let start = 0; start < bytes.length; start += piece) {
      // One write a turn of the event loop, so that each piece reaches the client by itself.
      response.write(bytes.subarray(start, start + piece))
      if (piece < bytes.length) await new Promise(setImmediate)
    }
  }
  response.end()
}

/** A whole reply as JSON. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Script => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  steps: [{ send: JSON.stringify(body) }],
})

/** A stream of events from its text. */
export const events = (text: string, ...after: readonly Step[]): Script => ({
  steps: [{ send: text }, ...after],
})

/** One chunk as an event. */
export const chunk = (delta: unknown, finish: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** A whole reply with this text. */
export const completion = (content: string, more: Readonly<Record<string, unknown>> = {}): Script =>
  json({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], ...more })
