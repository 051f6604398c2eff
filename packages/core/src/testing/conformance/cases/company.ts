// Promises about executions and sandboxes side by side, and one after the other.
import { rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { claims } from '../claims.js'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, succeeded } from '../expectations.js'
import { newMark, PATIENT } from '../probe.js'
import { startLong } from './aborts.js'

const group = 'company'
const FOUR = [0, 1, 2, 3]
const TEMPORARY = '/tmp /var/tmp /dev/shm "$TMPDIR" "$HOME"'

/** What a program has left in the host's own folders, where the sandbox is none. */
async function removeFromHost(name: string): Promise<void> {
  const folders = new Set([tmpdir(), homedir(), '/tmp', '/var/tmp', '/dev/shm'])
  await Promise.all([...folders].map((folder) => rm(join(folder, name), { force: true })))
}

export const companyCases: readonly ConformanceCase[] = [
  {
    name: 'runs four programs side by side in one sandbox without mixing them',
    group,
    async check({ open }) {
      const sandbox = await open()
      const results = await Promise.all(
        FOUR.map((number) =>
          sandbox.exec(
            {
              argv: [
                'sh',
                '-c',
                'read x; for i in 1 2 3; do echo "$N $x"; sleep 0.05; done; echo $N > $N.txt; exit $N',
              ],
              env: { N: String(number) },
              stdin: `in-${number}\n`,
            },
            PATIENT,
          ),
        ),
      )
      for (const number of FOUR) {
        const result = results[number]
        equal(result?.stdout.text, `${number} in-${number}\n`.repeat(3), `what program ${number} printed`)
        equal(result?.outcome, { kind: 'exit', code: number }, `the outcome of program ${number}`)
      }
      equal(
        (await sandbox.files.list()).map(({ path }) => path),
        FOUR.map((number) => `${number}.txt`),
        'the files of all',
      )
    },
  },
  {
    name: 'runs four sandboxes side by side, each with files of its own',
    group,
    async check({ open }) {
      const printed = await Promise.all(
        FOUR.map(async (number) => {
          const sandbox = await open()
          await sandbox.files.write({ 'input.txt': `${number}` })
          return succeeded(await sandbox.exec('ls; cat input.txt; echo > output.txt', PATIENT), 'a program')
        }),
      )
      equal(
        printed,
        FOUR.map((number) => `input.txt\n${number}`),
        'what the programs saw',
      )
    },
  },
  {
    name: 'leaves a program alone when one beside it is ended',
    group,
    async check({ open }) {
      const sandbox = await open()
      let tellReady = (): void => undefined
      const ready = new Promise<void>((resolve) => {
        tellReady = resolve
      })
      const long = sandbox.exec('echo ready; sleep 2; echo done', { ...PATIENT, onOutput: () => tellReady() })
      await Promise.race([ready, long])
      const controller = new AbortController()
      const { result } = await startLong(sandbox, controller.signal)
      controller.abort()
      equal((await result).outcome, { kind: 'aborted' }, 'the outcome of the one that was ended')
      equal(
        (await sandbox.exec('sleep 9', { limits: { wallMs: 300 } })).outcome.kind,
        'timeout',
        'the outcome of a second one',
      )
      equal(succeeded(await long, 'the one beside it'), 'ready\ndone\n', 'what it printed')
    },
  },
  {
    name: 'shows nothing of one sandbox in another',
    group,
    requires: claims('files', 'private-root', 'allow-list'),
    async check({ open, afterwards }) {
      const mark = newMark()
      afterwards(() => removeFromHost(mark))
      const one = await open()
      await one.exec(`for d in ${TEMPORARY} .; do echo ${mark} > "$d/${mark}"; done; true`, PATIENT)
      const two = await open()
      const look = `for d in ${TEMPORARY} '${one.workdir}' '${one.workdir}/..'; do ls "$d"; cat "$d/${mark}"; done 2>/dev/null; true`
      const { stdout } = await two.exec(look, PATIENT)
      ensure(!stdout.text.includes(mark), 'a file of one sandbox was seen in another')
    },
  },
]
