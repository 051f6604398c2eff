// Cells that put something else in the place of what every program uses: the session goes on, and so does what they did.
import { describe, expect, test } from 'vitest'
import { createHostFunctions } from '../../../src/guest/session/host-function.js'
import type { CellResult, Session } from '../../../src/guest/session/session.js'
import { sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

const host = createHostFunctions({})

/** Value, output and error of a cell. */
const said = ({ value, stdout, displays, error, lost }: CellResult) => ({
  value: value?.data['text/plain'],
  stdout: stdout.text,
  displays: displays.map(({ data }) => data['text/plain']),
  error: error?.name,
  lost: lost?.reason,
})

const nothing = { value: undefined, stdout: '', displays: [], error: undefined, lost: undefined }

/** A session in which all that comes later has to find `kept`. */
async function opened(language: 'python' | 'javascript', keep: string): Promise<Session> {
  const { session } = await sessionOf(language, { host })
  await session.run(keep)
  return session
}

describe.skipIf(!requires('python3'))('Python', () => {
  test.each(['len', 'isinstance', 'getattr', 'str', 'print', 'type', 'set', 'memoryview'])(
    'builtins.%s',
    async (name) => {
      const session = await opened('python', 'kept = [1, 2]')
      const broken = await session.run(
        `import builtins\nown = builtins.${name}\nbuiltins.${name} = None\ndisplay(kept)\nkept`,
      )
      expect(said(broken)).toEqual({ ...nothing, displays: ['[1, 2]'], value: '[1, 2]' })
      expect(said(await session.run(`${name} is None`))).toEqual({ ...nothing, value: 'True' })
      expect(said(await session.run('host.call("nobody")'))).toMatchObject({ error: 'HostError' })
      expect(said(await session.run('1 / 0'))).toEqual({ ...nothing, error: 'ZeroDivisionError' })
      expect(said(await session.run(`del builtins.${name}\nkept`))).toEqual({ ...nothing, value: '[1, 2]' })
      expect(said(await session.run(`${name}`))).toMatchObject({ error: 'NameError' })
      const mended = await session.run(`import builtins\nbuiltins.${name} = own\nkept`)
      expect(said(mended)).toEqual({ ...nothing, value: '[1, 2]' })
      expect(said(await session.run(`${name} is own`))).toEqual({ ...nothing, value: 'True' })
    },
  )
})

describe('JavaScript', () => {
  test.each([
    ['JSON', 'globalThis.JSON = null', 'JSON', 'null'],
    ['JSON', 'const JSON = 1', 'JSON', '1'],
    ['names of the console', 'const Map = 1, process = 2, Buffer = 3, Promise = 4', 'Promise', '4'],
    ['JSON.stringify', 'JSON.stringify = () => { throw 1 }', 'JSON.stringify.length', '0'],
    ['toJSON', 'Array.prototype.toJSON = () => "x"', '[].toJSON()', "'x'"],
    ['Array.prototype.map', 'Array.prototype.map = null', '[].map', 'null'],
    [
      'every method of lists',
      'for (const one of Object.getOwnPropertyNames(Array.prototype)) if (one !== "length" && one !== "constructor") Array.prototype[one] = null',
      '[].slice',
      'null',
    ],
    ['the way through lists', 'Array.prototype[Symbol.iterator] = null', '[][Symbol.iterator]', 'null'],
    ['Promise', 'globalThis.Promise = class {}', 'Promise.length', '0'],
    ['Promise.prototype.then', 'Promise.prototype.then = () => 1', 'Promise.prototype.then()', '1'],
    ['RegExp.prototype.exec', 'RegExp.prototype.exec = () => null', '/a/.exec("a")', 'null'],
    ['Map.prototype.get', 'Map.prototype.get = () => 1', 'new Map().get()', '1'],
    [
      'a getter',
      'Object.defineProperty(String.prototype, "split", { get: () => 1, configurable: true })',
      '"".split',
      '1',
    ],
    ['what is taken away', 'delete String.prototype.replaceAll', '"".replaceAll', undefined],
  ])('%s', async (_, breaking, look, found) => {
    const session = await opened('javascript', 'const kept = [1, 2]')
    const shown = { ...nothing, value: '[ 1, 2 ]' }
    const broken = await session.run(`${breaking}\ndisplay(kept)\nkept`)
    expect(said(broken)).toEqual({ ...shown, displays: ['[ 1, 2 ]'] })
    expect(said(await session.run(look))).toEqual({ ...nothing, value: found })
    expect(said(await session.run('await host.call("nobody")'))).toMatchObject({ error: 'HostError' })
    expect(said(await session.run('nothing.there'))).toEqual({ ...nothing, error: 'ReferenceError' })
    expect(said(await session.run('await null; kept'))).toEqual(shown)
    expect(said(await session.run('(async () => kept)()'))).toEqual(shown)
  })
})
