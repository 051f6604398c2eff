// The programs that run inside a sandbox, as text: up to date, and free of what only this machine has.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { frame } from '../../src/guest/frames.js'
import { judgeCommand } from '../../src/guest/judge-command.js'
import { guestPrograms } from '../../src/guest/programs.generated.js'
import { requires } from '../helpers/requires.js'

describe('The bundled programs', () => {
  test('are the files beside them, to the letter', () => {
    const folder = new URL('../../src/guest/', import.meta.url)
    const files = readdirSync(folder).filter((name) => name.endsWith('.py'))

    expect(Object.keys(guestPrograms)).toEqual(files.map((name) => basename(name, '.py')).sort())
    for (const [name, text] of Object.entries(guestPrograms)) {
      expect(text).toBe(readFileSync(new URL(`${name}.py`, folder), 'utf8'))
    }
  })

  test.runIf(requires('python3'))('compile without a warning', () => {
    const code =
      'import sys, json, warnings\nwarnings.simplefilter("error")\nfor name, text in json.load(sys.stdin).items(): compile(text, name, "exec")'
    const { status, stderr } = spawnSync('python3', ['-I', '-c', code], {
      input: JSON.stringify(guestPrograms),
      encoding: 'utf8',
    })

    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})

describe('A frame', () => {
  test('is the length in four bytes, big end first, and then JSON in UTF-8', () => {
    expect([...frame(['é'])]).toEqual([0, 0, 0, 6, 0x5b, 0x22, 0xc3, 0xa9, 0x22, 0x5d])
  })

  test('keeps a lone surrogate as its escape', () => {
    expect(Buffer.from(frame('\ud800')).toString('latin1')).toBe('\0\0\0\x08"\\ud800"')
  })
})

test('The judge is given the tests only in its second frame, after the program', () => {
  const command = judgeCommand({
    sources: { 'solution.py': 'A' },
    entry: 'solution.py',
    tests: 'SECRET TESTS',
    name: 'n',
    nonce: 'NONCE',
  })
  const input = Buffer.from(command.stdin as Uint8Array)
  const first = input.subarray(4, 4 + input.readUInt32BE(0)).toString('utf8')

  expect(command.argv.join(' ')).not.toContain('SECRET')
  expect(first).not.toContain('SECRET')
  expect(first).not.toContain('NONCE')
  expect(input.toString('utf8')).toContain('SECRET TESTS')
})
