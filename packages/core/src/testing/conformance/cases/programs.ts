// Promises about starting a program: what it is given, and what is told of its end.
import { createHash, randomBytes } from 'node:crypto'
import type { ConformanceCase } from '../conformance-case.js'
import { ensure, equal, refused, succeeded } from '../expectations.js'
import { newMark, PATIENT, python, runPython, setEnvironment } from '../probe.js'

const group = 'programs'
const LARGE_INPUT_BYTES = 50 * 1024 * 1024

const AWKWARD_ARGUMENTS = [
  '',
  ' ',
  'two words',
  '"double"',
  "'single'",
  'line\nbreak\ttab',
  '$HOME `id` $(id) !! ~ *',
  'back\\slash',
  '--flag=value',
  '--',
  'ünï 世界 🎉',
  'x'.repeat(60_000),
]

const HASH_OF_INPUT = `
import hashlib, sys
digest, size = hashlib.sha256(), 0
while True:
    piece = sys.stdin.buffer.read(1 << 20)
    if not piece: break
    digest.update(piece); size += len(piece)
print(size, digest.hexdigest())`

/** Those that lead to the null device lead nowhere. */
const OPEN_DESCRIPTORS = `
import os, stat
found = []
for number in range(3, 1024):
    try: state = os.fstat(number)
    except OSError: continue
    if not (stat.S_ISCHR(state.st_mode) and state.st_rdev == os.stat("/dev/null").st_rdev): found.append(number)
print(found)`

const hashOf = (data: Uint8Array): string =>
  `${data.length} ${createHash('sha256').update(data).digest('hex')}\n`

export const programCases: readonly ConformanceCase[] = [
  {
    name: 'runs a program and tells its exit code, and success for 0 alone',
    group,
    // Not skipped for a sandbox that runs nothing: this is what a sandbox is.
    needs: 'nothing',
    async check({ open }) {
      const sandbox = await open()
      for (const code of [0, 1, 7, 255]) {
        const word = newMark()
        const { outcome, ok, stdout } = await sandbox.exec(`echo ${word}; exit ${code}`, PATIENT)
        equal(outcome, { kind: 'exit', code }, `the outcome of a program that exits with ${code}`)
        equal(ok, code === 0, `ok of a program that exits with ${code}`)
        equal(stdout.text, `${word}\n`, 'what a program printed')
      }
    },
  },
  {
    name: 'names the signal that ended a program',
    group,
    async check({ open }) {
      const sandbox = await open()
      for (const signal of ['SEGV', 'TERM', 'KILL']) {
        const { outcome, ok, stdout } = await sandbox.exec(`echo before; kill -${signal} $$`, PATIENT)
        equal(
          outcome,
          { kind: 'signal', signal: `SIG${signal}` },
          `the outcome of a program ended by SIG${signal}`,
        )
        equal(ok, false, 'ok of a program that a signal ended')
        equal(stdout.text, 'before\n', 'what it printed before')
      }
    },
  },
  {
    name: 'tells of a program that is not there by a result, not an exception',
    group,
    async check({ open }) {
      const sandbox = await open()
      const { ok, outcome, stderr } = await sandbox.exec(['no-such-program-anywhere', '--flag'], PATIENT)
      equal(ok, false, 'ok of a program that is not there')
      equal(outcome, { kind: 'exit', code: 127 }, 'the outcome of a program that is not there, as in a shell')
      ensure(
        stderr.text.includes('no-such-program-anywhere'),
        'standard error should name the missing program',
      )
    },
  },
  {
    name: 'passes every argument exactly as it was given',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const code = 'import json, sys; print(json.dumps(sys.argv[1:]))'
      const printed = succeeded(
        await runPython(context, sandbox, code, ...AWKWARD_ARGUMENTS),
        'printing its arguments',
      )
      equal(JSON.parse(printed), AWKWARD_ARGUMENTS, 'the arguments as the program saw them')
    },
  },
  {
    name: 'runs a string through the shell',
    group,
    async check({ open }) {
      const sandbox = await open()
      const command = 'number=$((6 * 7)); printf "%s" "$number" | cat > answer && cat < answer'
      equal(
        succeeded(await sandbox.exec(command, PATIENT), 'a shell command'),
        '42',
        'what the shell printed',
      )
    },
  },
  {
    name: 'starts a program in the workspace, or in the folder of it that was named',
    group,
    async check({ open }) {
      const sandbox = await open()
      await sandbox.files.write({ 'here.txt': 'root', 'a folder/deep/here.txt': 'deep' })
      const read = ['cat', 'here.txt']
      equal(succeeded(await sandbox.exec(read, PATIENT), 'cat'), 'root', 'the file in the workspace')
      const inFolder = await sandbox.exec({ argv: read, cwd: 'a folder/deep' }, PATIENT)
      equal(succeeded(inFolder, 'cat in a folder'), 'deep', 'the file in the folder that was named')
      const here = succeeded(await sandbox.exec('pwd -P', PATIENT), 'pwd').trimEnd()
      equal(here, sandbox.workdir, 'the working directory, as `workdir` promises it')
    },
  },
  {
    name: 'refuses a working directory outside of the workspace',
    group,
    async check({ open }) {
      const sandbox = await open()
      for (const cwd of ['..', '../..', 'a/../../..', '/', '/etc', 'not-there'])
        await refused(`cwd ${JSON.stringify(cwd)}`, ['PATH_REFUSED', 'INVALID_OPTION'], () =>
          sandbox.exec({ argv: ['pwd'], cwd }, PATIENT),
        )
    },
  },
  {
    name: 'gives a program the variables that were named, and none of the host',
    group,
    async check(context) {
      const secret = newMark()
      const names = [
        'MENDLOOP_CANARY',
        'OPENAI_API_KEY',
        'AWS_SECRET_ACCESS_KEY',
        'PYTHONPATH',
        'LD_PRELOAD_CANARY',
      ]
      setEnvironment(context, Object.fromEntries(names.map((name) => [name, secret])))
      const odd = 'a=b "c" $d\nünï'
      const sandbox = await context.open({ env: { FROM_SANDBOX: odd, BOTH: 'sandbox' } })
      const command = { argv: ['env'], env: { FROM_COMMAND: odd, BOTH: 'command' } }
      const printed = succeeded(await sandbox.exec(command, PATIENT), 'env')
      ensure(!printed.includes(secret), 'a variable of the host reached the program')
      for (const line of [`FROM_SANDBOX=${odd}`, `FROM_COMMAND=${odd}`, 'BOTH=command'])
        ensure(`\n${printed}`.includes(`\n${line}\n`), `the program should see ${JSON.stringify(line)}`)
      const later = succeeded(await sandbox.exec(['env'], PATIENT), 'env')
      ensure(!later.includes('FROM_COMMAND'), 'a variable of one execution was there in the next')
    },
  },
  {
    name: 'ends standard input at once when none was given',
    group,
    async check({ open }) {
      const sandbox = await open()
      equal(
        succeeded(await sandbox.exec('cat; echo end', PATIENT), 'cat'),
        'end\n',
        'what cat read and printed',
      )
    },
  },
  {
    name: 'hands over text and bytes on standard input, then ends it',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const bytes = Uint8Array.from({ length: 256 * 300 }, (_, index) => (index * 7) & 255)
      for (const stdin of [bytes, 'ünï 世界\r\n\0end without newline', '']) {
        const result = await sandbox.exec({ argv: python(context, HASH_OF_INPUT), stdin }, PATIENT)
        equal(
          succeeded(result, 'reading input'),
          hashOf(Buffer.from(stdin)),
          'size and SHA-256 of the input that arrived',
        )
      }
    },
  },
  {
    name: 'hands over 50 MB of standard input whole, also to a program that does not read it',
    group,
    needs: 'python',
    deadlineMs: 60_000,
    async check(context) {
      const sandbox = await context.open()
      const block = randomBytes(1024 * 1024)
      const stdin = Buffer.concat(Array.from({ length: LARGE_INPUT_BYTES / block.length }, () => block))
      const limits = { wallMs: 50_000 }
      const result = await sandbox.exec({ argv: python(context, HASH_OF_INPUT), stdin }, { limits })
      equal(succeeded(result, 'reading 50 MB'), hashOf(stdin), 'size and SHA-256 of the input that arrived')
      succeeded(
        await sandbox.exec({ argv: ['true'], stdin }, { limits }),
        'a program that does not read its input',
      )
    },
  },
  {
    name: 'starts a program with signals as a shell would, and no descriptor beyond the three',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const piped = await sandbox.exec('(yes; echo $? >&2) | head -n 1', PATIENT)
      equal(piped.stderr.text, '141\n', 'the end of a program whose reader has gone: 128 and SIGPIPE')
      equal(
        succeeded(await runPython(context, sandbox, OPEN_DESCRIPTORS), 'looking at descriptors'),
        '[]\n',
        'open descriptors',
      )
    },
  },
  {
    name: 'tells how long a program took',
    group,
    async check({ open }) {
      const sandbox = await open()
      const startedAt = performance.now()
      const { durationMs } = await sandbox.exec('sleep 0.4', PATIENT)
      const outsideMs = performance.now() - startedAt
      ensure(
        durationMs >= 390 && durationMs <= outsideMs,
        `a program that slept for 400 ms took ${durationMs} ms by its result, ${outsideMs} ms by the clock`,
      )
    },
  },
]
