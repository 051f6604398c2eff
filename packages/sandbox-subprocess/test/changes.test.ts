import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSandbox } from './helpers/open-sandbox.js'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('created, modified and deleted files are told with size and hash, and only those', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({ 'kept.txt': 'k', 'edited.txt': 'old', 'gone.txt': 'g', 'same.txt': 's' })
  const result = await sandbox.exec(
    'printf new > edited.txt; printf s > same.txt; rm gone.txt; mkdir out; printf n > out/new.txt; : > empty',
  )
  expect(result.changes).toEqual([
    { path: 'edited.txt', kind: 'modified', sizeBytes: 3, sha256: sha256('new') },
    { path: 'empty', kind: 'created', sizeBytes: 0, sha256: sha256('') },
    { path: 'gone.txt', kind: 'deleted' },
    { path: 'out/new.txt', kind: 'created', sizeBytes: 1, sha256: sha256('n') },
  ])
  expect((await sandbox.exec('true')).changes).toEqual([])
})

test('a write of the same length right after the last one is seen, however coarse the clock is', async () => {
  const sandbox = await openSandbox()
  for (let round = 0; round < 20; round++) {
    await writeFile(join(sandbox.workdir, 'outside.txt'), 'a')
    await sandbox.files.write({ 'file.txt': 'a' })
    const { changes } = await sandbox.exec('printf b > file.txt; printf b > outside.txt')
    expect(changes.map(({ path, kind, sha256: hash }) => [path, kind, hash])).toEqual([
      ['file.txt', 'modified', sha256('b')],
      ['outside.txt', 'modified', sha256('b')],
    ])
  }
})

test('links and pipes are told as such, they and second names without a hash, and nothing behind them is read', async () => {
  const sandbox = await openSandbox()
  const { changes } = await sandbox.exec(
    'ln -s /etc/passwd link; ln -s / root; mkfifo pipe; printf x > one; ln one two',
  )
  expect(changes.map(({ path, kind, type, sha256: hash }) => [path, kind, type, hash])).toEqual(
    Object.entries({ link: 'link', one: undefined, pipe: 'special', root: 'link', two: undefined }).map(
      ([path, type]) => [path, 'created', type, undefined],
    ),
  )
  expect((await sandbox.exec('true')).changes).toEqual([])
})

test('temporary files, caches and the home folder are no changes', async () => {
  const sandbox = await openSandbox()
  await sandbox.files.write({ 'module.py': 'x = 1' })
  const result = await sandbox.exec(
    'touch "$HOME/a"; mktemp > /dev/null; python3 -c "import module, tempfile; tempfile.NamedTemporaryFile(delete=False)"',
  )
  expect(result).toMatchObject({ ok: true, changes: [] })
})

test('changes made before a timeout are told', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec('printf half > half.txt; sleep 60', { limits: { wallMs: 400 } })
  expect(result).toMatchObject({
    outcome: { kind: 'timeout' },
    changes: [{ path: 'half.txt', kind: 'created' }],
  })
})

test('a huge sparse file costs no time', async () => {
  const sandbox = await openSandbox({ limits: { fileBytes: 2 ** 42 } })
  const code =
    'import os\nfor name, size in ("large", 2**40), ("small", 1024): os.truncate(os.open(name, os.O_CREAT | os.O_RDWR), size)'
  const { changes, ok } = await sandbox.exec(['python3', '-c', code])
  expect(ok).toBe(true)
  expect(changes).toEqual([
    { path: 'large', kind: 'created', sizeBytes: 2 ** 40 },
    { path: 'small', kind: 'created', sizeBytes: 1024, sha256: sha256('\0'.repeat(1024)) },
  ])
  await expect(sandbox.files.read('large')).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
})

test('two thousand files are looked through without blocking for long', async () => {
  const sandbox = await openSandbox()
  const result = await sandbox.exec(
    ['python3', '-c', 'for i in range(2000): open(f"{i:04}.txt", "w").write(str(i))'],
    { limits: { wallMs: 14_000 } },
  )
  expect(result.changes).toHaveLength(2000)
  expect(result.changes[1999]).toEqual({
    path: '1999.txt',
    kind: 'created',
    sizeBytes: 4,
    sha256: sha256('1999'),
  })
})
