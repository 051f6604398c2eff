// Servers outside of every sandbox, for the conformance kit: core itself opens no socket.

import { randomUUID } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceHost } from '../../src/testing/conformance/conformance-case.js'

/** Listens on TCP, on a unix socket that anybody may use and, on Linux, on an abstract one. */
export const canaryHost: ConformanceHost = {
  async listen() {
    const folder = await mkdtemp(join(tmpdir(), 'canary-'))
    chmodSync(folder, 0o755)
    const socketPath = join(folder, 'socket')
    const abstractName = process.platform === 'linux' ? `mendloop-${randomUUID()}` : undefined
    const sockets = new Set<Socket>()
    let connections = 0
    const open = (where: ListenOptions): Promise<Server> =>
      new Promise((resolve, reject) => {
        const server = createServer((socket) => {
          connections++
          sockets.add(socket)
          socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
        })
        server.once('error', reject).listen(where, () => resolve(server))
      })
    const servers = await Promise.all([
      open({ host: '127.0.0.1', port: 0 }),
      open({ path: socketPath, readableAll: true, writableAll: true }),
      ...(abstractName === undefined ? [] : [open({ path: `\0${abstractName}` })]),
    ])
    const address = servers[0]?.address()
    if (typeof address !== 'object' || address === null) throw new Error('the TCP server has no port')
    return {
      port: address.port,
      socketPath,
      ...(abstractName !== undefined && { abstractName }),
      connections: () => connections,
      async close() {
        for (const socket of sockets) socket.destroy()
        await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
}
