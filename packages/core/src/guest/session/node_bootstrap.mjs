// The whole of the command line of a Node session's processes: reads the session's programs, and starts one of them.
// Written as a script: the options that would make it a module would be handed on to every worker thread of a cell, and
// to its forks, which then do not start. All is within a function, since a script's names are seen by the cells.
void import('node:fs').then(({ readSync }) => {
  const descriptor = Number(process.argv[1] ?? 0)
  process.argv.length = 1
  process.execArgv.length = 0

  /** The first frame of the descriptor, never a byte more: what follows is the program's to read. */
  const take = () => {
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
  // Each program's own: a cell may declare such a name for itself, or put something in its place.
  const names = [
    ...[
      'Array',
      'Atomics',
      'BigInt',
      'Buffer',
      'Error',
      'Function',
      'Int32Array',
      'JSON',
      'Map',
      'Number',
      'Object',
    ],
    ...['Promise', 'Reflect', 'RegExp', 'Set', 'SharedArrayBuffer', 'String', 'Symbol', 'SyntaxError', 'URL'],
    ...['Uint8Array', 'WeakMap', 'process'],
  ]
  const own = `const { ${names.join(', ')} } = globalThis;`

  /** A program as an address that can be imported; so are those that it imports itself. Stacks show its short name. */
  const addressOf = (name) => {
    if (!addresses.has(name)) {
      const text = programs[name].replace(/'\.\/(\w+)\.mjs'/g, (_, other) => `'${addressOf(other)}'`)
      const named = `${own} ${text}\n//# sourceURL=mendloop:${name}\n`
      addresses.set(name, `data:text/javascript;base64,${Buffer.from(named).toString('base64')}`)
    }
    return addresses.get(name)
  }

  // Imports made here are resolved from the working directory, which is the workspace.
  const importHere = (specifier, attributes) => import(specifier, attributes)
  return import(addressOf(entry)).then(({ main }) => main({ options, programs, importHere }))
})
