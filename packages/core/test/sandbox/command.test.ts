import { expect, test } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import type { Command } from '../../src/contract/sandbox.js'
import { parseEnvironment, toCommandObject } from '../../src/sandbox/command.js'

test('a string goes through the shell, an array is the argument list', () => {
  expect(toCommandObject('echo $HOME', 'exec()')).toEqual({ argv: ['/bin/sh', '-c', 'echo $HOME'] })
  expect(toCommandObject(['ls', ''], 'exec()')).toEqual({ argv: ['ls', ''] })
})

test.each<[string, unknown]>([
  ['an empty string', ''],
  ['an empty list', []],
  ['an empty program name', ['']],
  ['a NUL byte in an argument', ['echo', 'a\0b']],
  ['a NUL byte in shell text', 'echo a\0b'],
  ['a number among the arguments', ['echo', 1]],
  ['an unknown key', { argv: ['ls'], timeout: 5 }],
  ['a variable no shell can hold', { argv: ['ls'], env: { 'a=b': '1' } }],
  ['a NUL byte in a variable', { argv: ['ls'], env: { A: '\0' } }],
  ['nothing', undefined],
])('%s is refused with INVALID_OPTION', (_, command) => {
  expect(() => toCommandObject(command as Command, 'exec()')).toThrow(MendloopError)
  expect(() => toCommandObject(command as Command, 'exec()')).toThrow(/^exec\(\): /)
})

test('a misspelt variable map names the variable', () => {
  expect(() => parseEnvironment({ 'my-var': 'x' }, 'create()')).toThrow(/env\.my-var/)
  expect(parseEnvironment({ A_1: 'x' }, 'create()')).toEqual({ A_1: 'x' })
})
