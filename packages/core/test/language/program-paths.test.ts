import { expect, test } from 'vitest'
import { programPaths } from '../../src/language/program-paths.js'

const candidate = {
  entry: 'src/main.py',
  files: { 'src/main.py': 'x = "/tmp/wanted"', 'src/util/io.py': '', 'one.py': '' },
}

test('a file of the program is known by its place below the folder that the entry ran in', () => {
  const { own } = programPaths({ candidate, seen: ['/box/w1/src/main.py', '/box/w1/src/util/io.py'] })
  expect(own('/box/w1/src/util/io.py')).toBe('src/util/io.py')
  expect(own('/opt/other/src/util/io.py')).toBeUndefined()
  expect(own('/usr/lib/python3.11/site-packages/one.py')).toBeUndefined()
  expect(own('./one.py')).toBe('one.py')
  expect(own('<string>')).toBeUndefined()
})

test('where no folder is known a unique name is enough', () => {
  const { own } = programPaths({ candidate })
  expect(own('/elsewhere/io.py')).toBe('src/util/io.py')
  expect(own('/elsewhere/unknown.py')).toBeUndefined()
})

test.each([
  ['at /box/w1/data.csv:', 'at data.csv:'],
  ["cwd is '/box/w1'", "cwd is '.'"],
  ["cwd is '/box/w1/'", "cwd is '.'"],
  ['/box/w1/größe.txt', 'größe.txt'],
  ['file:///box/w1/a.html', 'file://a.html'],
  ['/box/w10/data.csv', '/box/w10/data.csv'],
  ['/box/w1.bak', '/box/w1.bak'],
  ['my/box/w1/a', 'my/box/w1/a'],
  ['/usr/lib/python3.11/json/decoder.py', 'json/decoder.py'],
  ['/venv/lib/python3.12/site-packages/numpy/core.py', 'numpy/core.py'],
  ['/opt/py/bin/python3.11: error', 'python3.11: error'],
  ['/tmp/x9f3/scratch.txt and /tmp/wanted', '<temp>/scratch.txt and /tmp/wanted'],
  ['/etc/hosts', '/etc/hosts'],
])('%j becomes %j', (text, expected) => {
  expect(programPaths({ candidate, workdir: '/box/w1/' }).hide(text)).toBe(expected)
})

test('a workspace that the program knows by another name is hidden under both', () => {
  const { hide } = programPaths({ candidate, workdir: '/host/w1', seen: ['/box/src/main.py'] })
  expect(hide('/host/w1/a.csv /box/a.csv')).toBe('a.csv a.csv')
})

test.each([
  ['/var/tmp/x1/tmp/box-9/solution.py', '<temp>/solution.py'],
  ['/var/tmp/x1/tmp/box-9/lib/data.csv and more', '<temp>/lib/data.csv and more'],
  ['/private/var/folders/ab/cd/T/box-9/a.py', '<temp>/a.py'],
  ['cwd /var/tmp/x1/tmp/box-9', 'cwd <temp>'],
  ['/tmp/x1/tmp/out.csv', '<temp>/tmp/out.csv'],
  ['/tmp/out.csv', '<temp>'],
])('of temporary folders within each other no made-up name is left: %j', (text, expected) => {
  expect(programPaths({}).hide(text)).toBe(expected)
})

test('the work grows with the text and no faster', () => {
  for (const piece of ['/a', '/tmp/a', '/tmp/tmp']) {
    const { hide } = programPaths({ candidate, workdir: '/box/w1' })
    const timeOf = (count: number): number => {
      const text = piece.repeat(count)
      const start = performance.now()
      hide(text)
      return performance.now() - start
    }
    // What else the machine does only ever adds to it.
    const leastOf = (count: number): number => Math.min(...[1, 2, 3, 4].map(() => timeOf(count)))
    // Eight times the text: about eight times the time; a square would be 64 times.
    expect(leastOf(160_000)).toBeLessThan(40 * leastOf(20_000) + 200)
  }
})
