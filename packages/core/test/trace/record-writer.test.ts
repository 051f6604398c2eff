// A record is written while its run goes on; what goes wrong with the writing is the writing's own trouble.
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { WritableStream } from 'node:stream/web'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LoopEvent } from '../../src/contract/events.js'
import { createRepairLoop } from '../../src/repair/create-repair-loop.js'
import { memorySandbox } from '../../src/testing/memory-sandbox.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { readRecord, recordFromJsonl, recordToJsonl } from '../../src/trace/record-jsonl.js'
import { type RecordSink, writeRecord } from '../../src/trace/record-writer.js'
import { reply } from './recorded-run.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendloop-record-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  vi.restoreAllMocks()
})

const start = (steps: readonly string[] = [reply('x = "good"')]) => {
  const verify = {
    name: 'any',
    visibility: 'visible' as const,
    verify: async () => ({ status: 'pass' as const, integrity: 'separate' as const, failures: [] }),
  }
  const loop = createRepairLoop({ model: scriptedModel(steps), sandbox: memorySandbox() })
  return loop.start({ goal: 'Write something good.', language: 'python', verify: [verify] })
}

test('every event is in the file before the next is written, and the whole is the record of the run', async () => {
  const path = join(folder, 'run.jsonl')
  const run = start()
  const counts: number[] = []
  const written = writeRecord(run, (line) => {
    appendFileSync(path, line)
    counts.push(recordFromJsonl(readFileSync(path, 'utf8')).events.length)
  })
  const { record } = await run.result
  expect(await written).toEqual({ events: record.events.length, complete: true })
  expect(counts).toEqual([0, ...record.events.map((_, index) => index + 1)])
  expect(readFileSync(path, 'utf8')).toBe(recordToJsonl(record))
})

test('an append that takes its time is awaited, one after the other', async () => {
  const run = start()
  let open = 0
  let most = 0
  const lines: string[] = []
  const written = writeRecord(run, async (line) => {
    most = Math.max(most, ++open)
    await new Promise((resolve) => setTimeout(resolve, 2))
    lines.push(line)
    open--
  })
  const { record } = await run.result
  await written
  expect(most).toBe(1)
  expect(lines.join('')).toBe(recordToJsonl(record))
})

test('a Node stream and a web stream take the same lines, and stay open', async () => {
  const path = join(folder, 'run.jsonl')
  const file = createWriteStream(path)
  const pieces: Uint8Array[] = []
  const web = new WritableStream<Uint8Array>({ write: (piece) => void pieces.push(piece) })
  const run = start()
  const both = Promise.all([writeRecord(run, file), writeRecord(run, web)])
  const { record } = await run.result
  await both
  expect(await readRecord(createReadStream(path))).toEqual(record)
  expect(await readRecord(pieces)).toEqual(record)
  expect(web.locked).toBe(false)
  file.end()
  await finished(file)
})

const failing: [string, () => RecordSink][] = [
  [
    'a function that throws',
    () => {
      let lines = 0
      return () => {
        if (++lines > 3) throw new Error('disk full')
      }
    },
  ],
  [
    'a Node stream that fails',
    () => {
      let lines = 0
      return new Writable({
        write: (_piece, _encoding, done) => done(++lines > 3 ? new Error('disk full') : null),
      })
    },
  ],
  [
    'a web stream that fails',
    () => {
      let lines = 0
      return new WritableStream({
        write: () => {
          if (++lines > 3) throw new Error('disk full')
        },
      })
    },
  ],
]

test.each(failing)('%s is told once, and the run goes on to its end', async (_name, sink) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const run = start()
  const written = await writeRecord(run, sink())
  expect(written).toMatchObject({ events: 2, complete: false, error: { message: 'disk full' } })
  expect((await run.result).status).toBe('verified')
  expect(warned).toHaveBeenCalledOnce()
  expect(String(warned.mock.calls[0])).toMatch(/after 2 events: disk full,MendloopRecordWarning/)
})

test('a write that never ends keeps no run from its end', async () => {
  const run = start()
  void writeRecord(run, () => new Promise(() => undefined))
  expect((await run.result).status).toBe('verified')
})

test('events of any source are written; a source that fails ends the record there', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const { record } = await start().result
  async function* broken(): AsyncGenerator<LoopEvent> {
    yield* record.events.slice(0, 4)
    throw new Error('connection lost')
  }
  let text = ''
  const written = await writeRecord(broken(), (line) => {
    text += line
  })
  expect(written).toMatchObject({ events: 4, complete: false })
  expect(recordFromJsonl(text).events).toEqual(record.events.slice(0, 4))
})

test('what is no sink, a stream in use, or an unknown option is refused at once', async () => {
  const run = start()
  const inUse = new WritableStream<Uint8Array>()
  inUse.getWriter()
  expect(() => writeRecord(run, 'run.jsonl' as never)).toThrow('must be a function, a Node stream')
  expect(() => writeRecord(run, null as never)).toThrow('must be a function, a Node stream')
  expect(() => writeRecord(run, inUse)).toThrow('somebody else is writing')
  expect(() => writeRecord(run, () => undefined, { redacted: true } as never)).toThrow('"redact"')
  await run.result
})

test('a record of 200 MB is written and read by a process that may hold 96 MB', () => {
  const script = fileURLToPath(new URL('../fixtures/large-record.ts', import.meta.url))
  const source = ['--conditions=@mendloop/source', '--import', 'tsx', '--max-old-space-size=96']
  const path = join(folder, 'large.jsonl')
  const { stdout, stderr } = spawnSync(process.execPath, [...source, script, path], {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  const { size, ...read } = JSON.parse(stdout)
  expect(read).toMatchObject({ complete: true, characters: 100_000_000 })
  expect(size).toBeGreaterThan(200_000_000)
}, 60_000)
