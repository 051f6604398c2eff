// A local server that speaks OpenAI's chat protocol and gives fixed replies, streamed or whole.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of replies. */
export interface ReplyServer {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string
  /** Every request: its Authorization header, and its body. */
  readonly requests: readonly {
    authorization: string | undefined
    body: { model: string; messages: readonly unknown[] }
  }[]
  close(): Promise<void>
}

/** @param replies - one a call; a number is an HTTP status that refuses the call, `hang` never answers */
export async function serveReplies(replies: readonly (string | number | 'hang')[]): Promise<ReplyServer> {
  const requests: {
    authorization: string | undefined
    body: { model: string; messages: readonly unknown[] }
  }[] = []
  const server: Server = createServer(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as { model: string; messages: unknown[]; stream?: boolean }
    const reply = replies[Math.min(requests.length, replies.length - 1)]
    requests.push({ authorization: request.headers.authorization, body })
    if (reply === 'hang') return
    if (typeof reply !== 'string') {
      const error = {
        message: 'Incorrect API key provided.',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      }
      response.writeHead(reply ?? 500, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    const base = { id: 'chatcmpl-1', created: 1, model: body.model }
    const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 }
    if (body.stream !== true) {
      const choice = { index: 0, message: { role: 'assistant', content: reply }, finish_reason: 'stop' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...base, object: 'chat.completion', choices: [choice], usage }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const say = (value: unknown): boolean => response.write(`data: ${JSON.stringify(value)}\n\n`)
    const chunk = { ...base, object: 'chat.completion.chunk' }
    for (const content of reply.match(/[\s\S]{1,500}/g) ?? [])
      say({ ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] })
    say({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    say({ ...chunk, choices: [], usage })
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
