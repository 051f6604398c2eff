import { expect, onTestFinished, test, vi } from 'vitest'
import { MendloopError } from '../../src/contract/errors.js'
import { parseOptions } from '../../src/contract/options.js'
import type { Command } from '../../src/contract/sandbox.js'
import { sandboxOptionsSchema } from '../../src/contract/sandbox-schemas.js'
import { parseEnvironment, toCommandObject } from '../../src/sandbox/command.js'

test('a string goes through the shell, an array is the argument list', () => {
  expect(toCommandObject('echo $HOME', 'exec()')).toEqual({ argv: ['/bin/sh', '-c', 'echo $HOME'] })
  expect(toCommandObject(['ls', ''], 'exec()')).toEqual({ argv: ['ls', ''] })
  expect(toCommandObject(['echo', '😀'], 'exec()')).toEqual({ argv: ['echo', '😀'] })
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
  ['half a character in an argument', ['echo', 'a\ud800']],
  ['half a character in shell text', 'echo \ud83d'],
  ['half a character in a variable', { argv: ['ls'], env: { A: '\ude00\ud83d' } }],
  ['nothing', undefined],
])('%s is refused with INVALID_OPTION', (_, command) => {
  expect(() => toCommandObject(command as Command, 'exec()')).toThrow(MendloopError)
  expect(() => toCommandObject(command as Command, 'exec()')).toThrow(/^exec\(\): /)
})

test.each<[string, unknown, string]>([
  ['a number', 42, 'exec(): the command must be text for the shell, a list of words, or an object such as'],
  ['nothing', undefined, 'exec(): the command must be text for the shell'],
  [
    'a program under another name',
    { cmd: 'ls' },
    `option "cmd"; program and arguments are one list, as in { argv`,
  ],
  [
    'a stream for input',
    { argv: ['cat'], stdin: process.stdin },
    'must be text or bytes; to pass on a stream, start',
  ],
  ['a number for input', { argv: ['cat'], stdin: 7 }, 'option "stdin": must be text or bytes (received 7)'],
  [
    'a list for variables',
    { argv: ['ls'], env: ['A=1'] },
    `option "env": must be an object of names and their text`,
  ],
  [
    'a map for variables',
    { argv: ['ls'], env: new Map([['A', '1']]) },
    'option "env": must be an object of names',
  ],
  [
    'a number for a variable',
    { argv: ['ls'], env: { A: 1 } },
    'option "env.A": must be a string (received 1)',
  ],
])('%s is refused with what is wanted', (_, command, words) => {
  expect(() => toCommandObject(command as Command, 'exec()')).toThrow(words)
})

test("the host's variables are taken as they are, and undefined ones left out", () => {
  vi.stubEnv('MENDLOOP_TEST', 'é')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(parseEnvironment(process.env, 'create()')).toEqual({ ...process.env })
  expect(toCommandObject({ argv: ['ls'], env: process.env }, 'exec()').env?.['MENDLOOP_TEST']).toBe('é')
  expect(parseOptions(sandboxOptionsSchema, { env: process.env }, 'create()').env).toEqual({ ...process.env })
  expect(parseEnvironment({ A: 'x', B: undefined }, 'create()')).toStrictEqual({ A: 'x' })
  expect(toCommandObject({ argv: ['ls'] }, 'exec()')).toStrictEqual({ argv: ['ls'] })
})

test('a misspelt variable map names the variable', () => {
  expect(() => parseEnvironment({ 'my-var': 'x' }, 'create()')).toThrow(/env\.my-var/)
  expect(parseEnvironment({ A_1: 'x' }, 'create()')).toEqual({ A_1: 'x' })
})
