// Promises about what is told of the files that a program changed.
import { createHash } from 'node:crypto'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, succeeded } from '../expectations.js'
import { PATIENT, runPython } from '../probe.js'

const group = 'changes'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Writes into each file its name; tells how many there are. A file system may refuse some names. */
const ODD_NAMES = `
import os
names = ["back\\\\slash", "..\\\\up", "C:/drive", "line\\nbreak", "-dash", "dot.", "space ", "x" * 255, "\\ufffd"]
made = 0
for name in [os.fsencode(name) for name in names] + [b"not-text-\\xff", b"not-text-\\xfe"]:
    try:
        if b"/" in name: os.makedirs(os.path.dirname(name))
        with open(name, "wb") as file: file.write(name)
        made += 1
    except OSError: pass
print(made)`

export const changeCases: readonly ConformanceCase[] = [
  {
    name: 'tells of files created, modified and deleted, sorted, with size and SHA-256',
    group,
    async check({ open }) {
      const sandbox = await open()
      await sandbox.files.write({ 'edited.txt': 'old', 'gone/gone.txt': 'x', 'kept.txt': 'kept' })
      const command =
        'printf edited > edited.txt; rm -r gone; mkdir -p new/deep; printf "ünï" > "new/deep/ünï 世.txt"; : > empty'
      const result = await sandbox.exec(command, PATIENT)
      succeeded(result, 'changing files')
      const expected = [
        { path: 'edited.txt', kind: 'modified', sizeBytes: 6, sha256: sha256('edited') },
        { path: 'empty', kind: 'created', sizeBytes: 0, sha256: sha256('') },
        { path: 'gone/gone.txt', kind: 'deleted' },
        { path: 'new/deep/ünï 世.txt', kind: 'created', sizeBytes: 5, sha256: sha256('ünï') },
      ]
      equal(result.changes, expected, 'the changes')
      equal(await sandbox.files.readText('new/deep/ünï 世.txt'), 'ünï', 'a file that the program wrote')
    },
  },
  {
    name: 'tells of nothing when nothing changed, nor of what was written again with the same content',
    group,
    async check({ open }) {
      const sandbox = await open()
      await sandbox.files.write({ 'same.txt': 'same' })
      equal((await sandbox.exec('cat same.txt', PATIENT)).changes, [], 'the changes of a program that reads')
      const rewritten = await sandbox.exec('printf same > new.txt; mv new.txt same.txt', PATIENT)
      equal(rewritten.changes, [], 'the changes of a program that writes the same')
    },
  },
  {
    name: 'sees a rewrite of the same size within a tick of the clock',
    group,
    async check({ open }) {
      const sandbox = await open()
      for (let round = 0; round < 8; round++) {
        await sandbox.files.write({ 'file.txt': 'aaa' })
        const { changes } = await sandbox.exec('printf bbb > file.txt', PATIENT)
        const expected = [{ path: 'file.txt', kind: 'modified', sizeBytes: 3, sha256: sha256('bbb') }]
        equal(changes, expected, `the changes in round ${round}`)
      }
    },
  },
  {
    name: 'sees a rewrite of the same size whose time was set back',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      await sandbox.files.write({ 'file.txt': 'aaa' })
      const code = `
import os
before = os.stat("file.txt")
with open("file.txt", "r+") as file: file.write("bbb")
os.utime("file.txt", ns=(before.st_atime_ns, before.st_mtime_ns))`
      const { changes } = await runPython(context, sandbox, code)
      equal(
        changes,
        [{ path: 'file.txt', kind: 'modified', sizeBytes: 3, sha256: sha256('bbb') }],
        'the changes',
      )
    },
  },
  {
    name: 'keeps what a program did for the next one, deletions too',
    group,
    async check({ open }) {
      const sandbox = await open()
      await sandbox.files.write({ 'gone.txt': 'x', 'kept.txt': 'y' })
      await sandbox.exec('rm gone.txt; printf new > new.txt', PATIENT)
      const next = await sandbox.exec('ls; cat new.txt', PATIENT)
      equal(succeeded(next, 'the next program'), 'kept.txt\nnew.txt\nnew', 'what the next program sees')
      equal(next.changes, [], 'the changes of the next program')
      equal(
        (await sandbox.files.list()).map(({ path }) => path),
        ['kept.txt', 'new.txt'],
        'the list of files',
      )
    },
  },
  {
    name: 'tells of changes made before a program was ended',
    group,
    async check({ open }) {
      const sandbox = await open()
      const { outcome, changes } = await sandbox.exec('printf half > half.txt; sleep 20', {
        limits: { wallMs: 1_000 },
      })
      equal(outcome.kind, 'timeout', 'the kind of the outcome')
      equal(
        changes,
        [{ path: 'half.txt', kind: 'created', sizeBytes: 4, sha256: sha256('half') }],
        'the changes',
      )
    },
  },
  {
    name: 'tells of every file by a name under which it can be read, whatever the program called it',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const result = await runPython(context, sandbox, ODD_NAMES)
      const made = Number(succeeded(result, 'making files with odd names'))
      const paths = result.changes.map(({ path }) => path)
      equal(paths.length, made, 'how many files were told of')
      equal(
        (await sandbox.files.list()).map(({ path }) => path),
        [...paths].sort(),
        'the list of files',
      )
      const contents = new Set<string>()
      for (const path of paths) {
        const bytes = Buffer.from(await sandbox.files.read(path))
        ensure(
          !path.isWellFormed() || bytes.equals(Buffer.from(path)),
          `the file ${JSON.stringify(path)} is another`,
        )
        contents.add(bytes.toString('latin1'))
      }
      equal(contents.size, made, 'how many different files were read')
    },
  },
]
