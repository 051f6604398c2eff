// The whole of the command line of a Node session's processes: reads the session's programs, and starts one of them.
import { readSync } from 'node:fs'

const descriptor = Number(process.argv[1] ?? 0)

/** The first frame of the descriptor, never a byte more: what follows is the program's to read. */
function take() {
  const exactly = (count) => {
    const bytes = Buffer.alloc(count)
    for (let read = 0; read < count; ) {
      try {
        const got = readSync(descriptor, bytes, read, count - read, null)
        if (got === 0) throw new Error('the input of the session ended early')
        read += got
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
    return bytes
  }
  return JSON.parse(exactly(exactly(4).readUInt32BE()).toString('utf8'))
}

const { programs, options, entry = 'node_control' } = take()
const addresses = new Map()

/** A program as an address that can be imported; so are those that it imports itself. */
function addressOf(name) {
  if (!addresses.has(name)) {
    const text = programs[name].replace(/'\.\/(\w+)\.mjs'/g, (_, other) => `'${addressOf(other)}'`)
    addresses.set(name, `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
  }
  return addresses.get(name)
}

const { main } = await import(addressOf(entry))
// Imports made here are resolved from the working directory, which is the workspace.
main({ options, programs, importHere: (specifier) => import(specifier) })
