// What real test runners printed, as recorded by fixtures/test-output/record.ts, and what is read out of it.
import { describe, expect, test } from 'vitest'
import { readTestOutput } from '../../../src/language/test-output/read-test-output.js'
import { outputSummary } from './output-summary.js'
import { expectedOutputs, RUNNERS, recordedOutput, testProject } from './recorded.js'

describe.each(RUNNERS)('%s', (runner) => {
  const { files } = testProject(runner)
  const { tool, outputs } = recordedOutput(runner)
  const expected = expectedOutputs(runner)
  const entries = Object.entries(outputs)

  test('the recording says which version made it', () => {
    expect(tool).toMatch(/\d+\.\d+/u)
  })

  test.each(entries)('tests and failures of the run "%s"', (name, text) => {
    expect(outputSummary(readTestOutput(text, { files }))).toBe(expected[name])
  })

  test.each(entries)('with files, each place is a line of one of them: %s', (_, text) => {
    for (const { location, excerpt, frames = [] } of readTestOutput(text, { files })?.failures ?? []) {
      for (const { path, line, source } of frames)
        if (source !== undefined && path !== '<string>')
          expect(files[path]?.split('\n')[line - 1]).toContain(source)
      if (location === undefined) continue
      expect(files[location.path]?.split('\n').length).toBeGreaterThan(location.line)
      expect(excerpt).toMatch(new RegExp(`^> *${location.line} \\|`, 'mu'))
    }
  })

  test.each(entries)('no text holds the folder where it ran: %s', (_, text) => {
    expect(JSON.stringify(readTestOutput(text, { files }))).not.toMatch(/\/home\/ci|\/tmp\/d5/u)
  })

  test.each(entries)('lines end with CRLF or not: %s', (_, text) => {
    expect(readTestOutput(text.replaceAll('\n', '\r\n'), { files })).toEqual(readTestOutput(text, { files }))
  })

  test.each(entries)('without files it says the same, with places: %s', (_, text) => {
    const bare = readTestOutput(text)
    const full = readTestOutput(text, { files })
    expect(bare?.failures.map(({ test, kind }) => [test?.replace(/^.*\//u, ''), kind])).toEqual(
      full?.failures.map(({ test, kind }) => [test?.replace(/^.*\//u, ''), kind]),
    )
    for (const [index, { location }] of (bare?.failures ?? []).entries())
      if (full?.failures[index]?.location !== undefined)
        expect(location?.line).toBe(full.failures[index].location.line)
  })

  test.each(entries)(
    'a failure has the same name wherever, whenever and in whatever process: %s',
    (_, text) => {
      const elsewhere = text
        .replaceAll('/home/ci/project', '/builds/0f3a/app-7')
        .replace(/0x7f[0-9a-f]{10}/gu, '0x7f00deadbeef')
        .replace(/\d+(?:\.\d+)?(?= ?ms\b)/gu, '99')
      const names = (one: string) =>
        readTestOutput(one, { files })?.failures.map(({ fingerprint }) => fingerprint)
      expect(names(elsewhere)).toEqual(names(text))
    },
  )
})

test('the short and the long traceback of pytest tell the same', () => {
  const { files } = testProject('pytest')
  const { outputs } = recordedOutput('pytest')
  const places = (name: string) =>
    readTestOutput(outputs[name] ?? '', { files })?.failures.map(({ test, kind, location }) => [
      test,
      kind,
      location?.path,
      location?.line,
    ])
  expect(places('short')).toEqual(places('default'))
  expect(places('native')).toEqual(places('default'))
  expect(new Set(places('xdist')?.map(String))).toEqual(new Set(places('default')?.map(String)))
})

test('spec and TAP of node:test tell the same', () => {
  const { files } = testProject('node-test')
  const { outputs } = recordedOutput('node-test')
  const read = (name: string) => {
    const { tests = [], failures = [] } = readTestOutput(outputs[name] ?? '', { files }) ?? {}
    return {
      tests: tests.map(({ name, status }) => [name, status]),
      failures: failures.map(({ test, kind, location }) => [test, kind, location?.line]),
    }
  }
  expect(read('tap')).toEqual(read('spec'))
  expect(read('colour')).toEqual(read('spec'))
})

test('options that are not known are refused', () => {
  // @ts-expect-error a misspelt option
  expect(() => readTestOutput('', { file: {} })).toThrow(/readTestOutput\(\).*file/u)
})
