// `fetch` for the official client, over Node's own HTTP and one connection a request. The built-in one opens another idle
// connection after each abort, and gives a server no more than 300 s for the head of its answer (both seen in Node 20).
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { bodyStream } from './body-stream.js'

const CONNECT_TIMEOUT_MS = 15_000
const MAX_ERROR_BYTES = 256 * 1024

/** Carries what went wrong past the client, which would drop it when it looks like a timeout. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** What the network said. */
  readonly thrown: unknown
  constructor(thrown: unknown) {
    super('the request did not get through')
    this.thrown = thrown
  }
}

/** Sends a request on a connection of its own, which is closed with the answer. Redirects are given as they are. */
export const fetchOnce: typeof fetch = (input, init = {}) =>
  new Promise((resolve, reject) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      agent: false,
      ...(init.signal && { signal: init.signal }),
    })
    request.on('error', (error) => reject(new TransportError(error)))
    request.on('response', (message) => {
      try {
        resolve(toResponse(message))
      } catch (error) {
        request.destroy()
        reject(new TransportError(error))
      }
    })
    limitConnecting(request)
    request.end(init.body)
  })

/** The operating system tries for minutes to reach a host that does not answer. */
function limitConnecting(request: ClientRequest): void {
  const timer = setTimeout(() => {
    request.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }))
  }, CONNECT_TIMEOUT_MS)
  const stop = (): void => clearTimeout(timer)
  request.on('socket', (socket) => socket.once('connect', stop))
  request.on('close', stop)
}

function toResponse(message: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const status = message.statusCode ?? 0
  if ([204, 205, 304].includes(status)) {
    message.resume()
    return new Response(null, { status, headers })
  }
  const body = status < 300 ? unpacked(message) : Readable.from(firstBytes(unpacked(message)))
  return new Response(bodyStream(body), { status, headers })
}

/** The client keeps the whole body of an error, so it gets no more of it than anyone could want. */
async function* firstBytes(body: Readable): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const bytes of body) {
    yield bytes
    count += bytes.length
    if (count >= MAX_ERROR_BYTES) return
  }
}

/** Some gateways compress although nobody asked for it. */
function unpacked(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding'] ?? ''
  const unpack = /gzip|deflate/.test(encoding)
    ? createUnzip()
    : /\bbr\b/.test(encoding)
      ? createBrotliDecompress()
      : undefined
  // What goes wrong reaches the reader through the last stream.
  return unpack === undefined ? message : pipeline(message, unpack, () => undefined)
}
