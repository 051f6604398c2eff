// Liars about what a program changed.
import type { FileChange } from '../../../../src/contract/execution.js'
import { aboutFiles, aboutResults, catchLiars, type Lie } from '../../../helpers/liars.js'

const aboutChanges = (change: (changes: readonly FileChange[]) => readonly FileChange[]): Lie =>
  aboutResults((result) => ({ ...result, changes: change(result.changes) }))

const KINDS = 'tells of files created, modified and deleted, sorted, with size and SHA-256'
const TIMEOUT = 'tells of changes made before a program was ended'

const ODD_NAMES = 'tells of every file by a name under which it can be read, whatever the program called it'

catchLiars(
  'changes',
  [
    {
      who: 'says nothing of names that are not text',
      caughtBy: ODD_NAMES,
      lie: aboutChanges((changes) => changes.filter(({ path }) => path.isWellFormed())),
    },
    {
      who: 'cannot read a name that it tells',
      caughtBy: ODD_NAMES,
      lie: aboutFiles((files) => ({
        read: (path) => files.read(path.includes('\\') ? '../escape' : path),
      })),
    },
    {
      who: 'takes one name for another',
      caughtBy: ODD_NAMES,
      lie: aboutFiles((files) => ({ read: (path) => files.read(path.replace(/\uDCFF/u, '\uDCFE')) })),
    },
    {
      who: 'does not notice what is gone',
      caughtBy: KINDS,
      lie: aboutChanges((changes) => changes.filter(({ kind }) => kind !== 'deleted')),
    },
    {
      who: 'tells changes in any order',
      caughtBy: KINDS,
      lie: aboutChanges((changes) => [...changes].reverse()),
    },
    {
      who: 'tells a hash of something else',
      caughtBy: KINDS,
      also: [
        'sees a rewrite of the same size within a tick of the clock',
        'sees a rewrite of the same size whose time was set back',
      ],
      lie: aboutChanges((changes) =>
        changes.map((one) => ({ ...one, ...(one.sha256 && { sha256: '0'.repeat(64) }) })),
      ),
    },
    {
      who: 'calls what was written again a change',
      caughtBy: 'tells of nothing when nothing changed, nor of what was written again with the same content',
      lie: (sandbox) => ({
        async exec(command, options) {
          const result = await sandbox.exec(command, options)
          const touched = String(command).includes('mv new.txt')
          const change: FileChange = { path: 'same.txt', kind: 'modified', sizeBytes: 4 }
          return touched ? { ...result, changes: [change] } : result
        },
      }),
    },
    {
      who: 'compares sizes',
      caughtBy: 'sees a rewrite of the same size within a tick of the clock',
      also: ['sees a rewrite of the same size whose time was set back'],
      lie: (sandbox) => ({
        async exec(command, options) {
          const before = new Map((await sandbox.files.list()).map(({ path, sizeBytes }) => [path, sizeBytes]))
          const result = await sandbox.exec(command, options)
          const changes = result.changes.filter(
            ({ path, kind, sizeBytes }) => kind !== 'modified' || before.get(path) !== sizeBytes,
          )
          return { ...result, changes }
        },
      }),
    },
    {
      who: 'trusts the times of files',
      caughtBy: 'sees a rewrite of the same size whose time was set back',
      lie: (sandbox) => ({
        async exec(command, options) {
          const result = await sandbox.exec(command, options)
          return String(command).includes('utime') ? { ...result, changes: [] } : result
        },
      }),
    },
    {
      who: 'brings deleted files back for the next program',
      caughtBy: 'keeps what a program did for the next one, deletions too',
      lie: (sandbox) => ({
        async exec(command, options) {
          const result = await sandbox.exec(command, options)
          for (const { path, kind } of result.changes)
            if (kind === 'deleted') await sandbox.files.write({ [path]: 'back' })
          return result
        },
      }),
    },
    {
      who: 'does not look at the files of a program that it ended',
      caughtBy: TIMEOUT,
      lie: aboutResults((result) =>
        result.outcome.kind === 'timeout' ? { ...result, changes: [] } : result,
      ),
    },
  ],
  { slow: [TIMEOUT], atOnce: true },
)
