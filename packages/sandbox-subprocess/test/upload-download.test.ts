// Files in, a program run over them, files out: byte for byte, whatever they hold and are called.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requires } from '../../core/test/helpers/requires.js'
import { openSandbox } from './helpers/open-sandbox.js'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'upload-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs SQL on a database of the host's. */
function sql(database: string, statements: string): string {
  const program =
    'import json, sqlite3, sys; d = sqlite3.connect(sys.argv[1]);' +
    'rows = [r for s in sys.argv[2].split(";") for r in d.execute(s)]; d.commit(); print(json.dumps(rows))'
  return execFileSync('python3', ['-c', program, database, statements], { encoding: 'utf8' })
}

const REPORT = `
import sqlite3
shop = sqlite3.connect('shop.sqlite')
report = sqlite3.connect('büro/report.sqlite')
report.execute('create table totals (item text, total real)')
rows = shop.execute('select item, sum(price * amount) from sales group by item order by item').fetchall()
report.executemany('insert into totals values (?, ?)', rows)
report.commit()
print(len(rows), 'totals')
`

describe.runIf(requires('python3'))('a database', () => {
  test('is uploaded, queried, and a new one downloaded that the host can open', async () => {
    const folder = scratchFolder()
    const shop = join(folder, 'shop.sqlite')
    sql(
      shop,
      "create table sales (item text, price real, amount int); insert into sales values ('töpfe', 9.5, 2);" +
        "insert into sales values ('pans', 20, 1); insert into sales values ('töpfe', 9.5, 1)",
    )
    const uploaded = readFileSync(shop)
    const { files, exec } = await openSandbox().then((sandbox) => ({
      files: sandbox.files,
      exec: sandbox.exec.bind(sandbox),
    }))
    await files.write({ 'shop.sqlite': uploaded, 'report.py': REPORT, 'büro/.keep': '' })
    const { outcome, stdout, changes } = await exec(['python3', 'report.py'])
    expect({ outcome, text: stdout.text }).toEqual({ outcome: { kind: 'exit', code: 0 }, text: '2 totals\n' })
    const downloaded = await files.read('büro/report.sqlite')
    // The input was opened and is as it was; the output is what was downloaded.
    expect(changes).toEqual([
      {
        path: 'büro/report.sqlite',
        kind: 'created',
        sizeBytes: downloaded.length,
        sha256: sha256(downloaded),
      },
    ])
    expect(Buffer.from(await files.read('shop.sqlite')).equals(uploaded)).toBe(true)
    const report = join(folder, 'report.sqlite')
    writeFileSync(report, downloaded)
    expect(JSON.parse(sql(report, 'select * from totals'))).toEqual([
      ['pans', 20],
      ['töpfe', 28.5],
    ])
  })
})

const ODD_FILES: Readonly<Record<string, Uint8Array>> = {
  empty: new Uint8Array(0),
  'binary.bin': Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256),
  'no newline at the end': Buffer.from('a\r\nb'),
  'ünï/✓ 世界/🎉.txt': Buffer.from('non-ASCII'),
  'quote\'"$(x) name': Buffer.from('name'),
  '-rf': Buffer.from('dash'),
  'line\nfeed': Buffer.from('line'),
}

const COPY = `
import os
for folder, _, names in list(os.walk('in')):
    for name in names:
        source = os.path.join(folder, name)
        target = 'out' + source[2:]
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, 'rb') as old, open(target, 'wb') as new:
            new.write(old.read())
`

test.runIf(requires('python3'))(
  'files of any content and name come back byte for byte, by every way',
  async () => {
    const sandbox = await openSandbox()
    const { files } = sandbox
    const uploads = Object.entries(ODD_FILES).map(([path, bytes]) => [`in/${path}`, bytes] as const)
    await files.write(Object.fromEntries(uploads))
    const { ok, changes } = await sandbox.exec(['python3', '-c', COPY])
    expect(ok).toBe(true)
    const hashes = Object.entries(ODD_FILES).map(([path, bytes]) => [`out/${path}`, sha256(bytes)])
    expect(Object.fromEntries(changes.map((change) => [change.path, change.sha256]))).toEqual(
      Object.fromEntries(hashes),
    )
    for (const [path, bytes] of Object.entries(ODD_FILES)) {
      expect(Buffer.from(await files.read(`out/${path}`)).equals(bytes)).toBe(true)
      const pieces: Uint8Array[] = []
      for await (const piece of files.readStream?.(`out/${path}`) ?? []) pieces.push(piece)
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    }
  },
)

test('a deletion, by a program or by the host, survives the next run', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({ 'a.txt': 'a', 'b/c.txt': 'c', 'b/d.txt': 'd', 'e.txt': 'e' })
  const deleting = await sandbox.exec('rm a.txt b/c.txt')
  expect(deleting.changes).toEqual([
    { path: 'a.txt', kind: 'deleted' },
    { path: 'b/c.txt', kind: 'deleted' },
  ])
  await sandbox.files.remove('e.txt')
  const looking = await sandbox.exec('find . -type f')
  expect(looking.stdout.text).toBe('./b/d.txt\n')
  expect(looking.changes).toEqual([])
  expect(await sandbox.files.list()).toEqual([{ path: 'b/d.txt', sizeBytes: 1 }])
})
