// Python code run in a fork of the warm interpreter behaves as `python3 -u main.py` does.
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PythonProgram, pythonPrograms } from '../../fixtures/python-programs/index.js'
import { confinementsHere, type Done, type OpenRunner, openRunner } from '../../helpers/open-runner.js'

const [kind] = await confinementsHere(['plain'])
const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', HOME: '/nonexistent', GREETING: 'hällo' }

/** What can be compared: no addresses, no folders, nothing that differs between two runs of one program. */
interface Seen {
  readonly how: unknown
  readonly stdout: string
  readonly stderr: string
  readonly files: Readonly<Record<string, string>>
}

function essence({ how, stdout, stderr, files }: Seen, folder: string | RegExp): Seen {
  const plain = (text: string): string =>
    text
      .replaceAll(folder, '<folder>')
      .replace(/0x[0-9a-f]{6,}/g, '0x<address>')
      .replace(/(ident=|Thread-)\d+/g, '$1<n>')
      // Four calls of the runner are below the program's first one.
      .replace(/repeated \d+ more/, 'repeated <n> more')
  return { how, stdout: plain(stdout), stderr: plain(stderr), files }
}

function asItself(
  python: string,
  { source, files = {}, args = [], stdin = '', env: more = {} }: PythonProgram,
): Seen {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mendloop-test-')))
  try {
    for (const [path, text] of Object.entries({ 'main.py': source, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const before = new Set(readdirSync(folder))
    const end = spawnSync(python, ['-B', '-u', 'main.py', ...args], {
      cwd: folder,
      env: { ...env, ...more, TMPDIR: '/tmp' },
      input: stdin,
    })
    const how =
      end.signal === null ? { kind: 'exit', code: end.status } : { kind: 'signal', signal: end.signal }
    const left = readdirSync(folder).filter((name) => !before.has(name))
    const texts = left.map((name) => [name, readFileSync(join(folder, name), 'utf8')])
    const [stdout, stderr] = [end.stdout.toString(), end.stderr.toString()]
    return essence({ how, stdout, stderr, files: Object.fromEntries(texts) }, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.runIf(kind === 'plain')('Python code in a fork', () => {
  let python: string
  let shared: OpenRunner

  beforeAll(async () => {
    python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)']).stdout.toString().trim()
    shared = await openRunner('plain', { python, keep: true })
  })
  afterAll(() => shared.close())

  test.each(Object.entries(pythonPrograms))(
    'behaves as if it was started alone, with %s',
    async (_, program) => {
      const { python: run, workspace } = shared
      const files = Object.entries(program.files ?? {}).map(([path, text]) => [path, Buffer.from(text)])
      const end = await run(program.source, {
        program: { kind: 'python', entry: 'main.py', args: program.args ?? [] },
        files: Object.fromEntries(files),
        env: { ...env, ...program.env, TMPDIR: '/tmp' },
        stdin: Buffer.from(program.stdin ?? ''),
        collect: { files: 10, bytes: 10_000 },
      })
      const seen = { how: end.how, stdout: end.stdout, stderr: end.stderr, files: end.texts }
      const folder = new RegExp(`${join(dirname(workspace), 'fresh')}/[0-9a-f]+/work`, 'g')
      expect(essence(seen, folder)).toEqual(asItself(python, program))
    },
  )

  test.each(['2**70', '-(2**70)', 'sys.maxsize + 1', '-sys.maxsize - 2'])(
    'does not take the exit code %s, which C cannot say, for a success',
    async (code) => {
      // What it tells of that on stderr is another thing in each version of Python.
      const { how } = await shared.python(`import sys\nsys.exit(${code})`)
      expect(how).toEqual({ kind: 'exit', code: 255 })
    },
  )

  test('tells that memory ran out when nobody caught it, and only then', async () => {
    const { python: run } = shared
    const limits = { memoryBytes: 200 * 1024 * 1024 }
    const greedy = await run('print("start")\nx = bytearray(10 ** 9)', { limits })
    expect(greedy).toMatchObject({ outOfMemory: true, how: { kind: 'exit', code: 1 }, stdout: 'start\n' })
    expect(greedy.stderr).toMatch(/^Traceback[\s\S]*MemoryError\n$/)
    const careful = await run('try:\n    bytearray(10 ** 9)\nexcept MemoryError:\n    print("ok")', {
      limits,
    })
    expect(careful).toMatchObject({ stdout: 'ok\n', how: { kind: 'exit', code: 0 } })
    expect(careful.outOfMemory).toBeUndefined()
  })

  test('draws other random numbers in each execution', async () => {
    const { python: run, runner } = await openRunner('plain', { python })
    await runner.prepare({ preload: ['random', 'uuid'] })
    const source = 'import random, uuid, os\nprint(random.random(), uuid.uuid4(), os.urandom(8).hex())'
    const drawn: Done[] = []
    for (let round = 0; round < 4; round++) drawn.push(await run(source))
    expect(new Set(drawn.map(({ stdout }) => stdout)).size).toBe(4)
  })

  test('may recurse as deep as a program of its own, but for the four calls below it', async () => {
    const source = `import sys
def depth(n=1):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(sys.getrecursionlimit() - depth())`
    expect(Number((await shared.python(source)).stdout)).toBeLessThan(9)
  })

  test('names a missing entry as Python does', async () => {
    const { python: run } = shared
    const end = await run('', { program: { kind: 'python', entry: 'other.py', args: [] } })
    expect(end.how).toEqual({ kind: 'exit', code: 2 })
    expect(end.stderr).toMatch(
      /can't open file '.*\/work\/other\.py': \[Errno 2\] No such file or directory\n$/,
    )
  })

  test('finds modules on PYTHONPATH and leaves nothing for the next execution', async () => {
    const { python: run } = shared
    const files = { 'lib/extra.py': Buffer.from('import os\nX = 1') }
    const with_ = await run('import extra, sys, builtins\nbuiltins.left = sys.left = 1\nprint(extra.X)', {
      files,
      env: { ...env, PYTHONPATH: 'lib' },
    })
    expect(with_).toMatchObject({ stdout: '1\n', stderr: '' })
    const after = await run(
      'import sys, os, builtins\nprint(hasattr(sys, "left"), hasattr(builtins, "left"), "extra" in sys.modules, os.listdir())',
    )
    expect(after.stdout).toBe("False False False ['main.py']\n")
  })
})
