// What `runProgram` is asked for: checked before anything runs, and kept to by both engines.
import type { OutputChunk, RunnerPreparation, Sandbox } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ProgramRun, RunProgramOptions } from '../../../src/guest/runner/program-run.js'
import { prepareRunner, runProgram } from '../../../src/guest/runner/run-program.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'
import { onLinux, requires } from '../../helpers/requires.js'
import { withoutSpawn } from '../../helpers/without-spawn.js'

const of = (source: string): ProgramRun => ({ files: { 'main.py': source } })

test('a provider in the place of a sandbox is refused with what opens one', async () => {
  const provider = subprocess({ minimum: 'process' }) as unknown as Sandbox
  await expect(runProgram(provider, 'print(1)')).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('provider.create()'),
  })
})

describe('a wrong program or option', () => {
  const files = { 'main.py': '' }
  test.each<[string, unknown, unknown, string]>([
    ['a misspelt key', { files, argv: [] }, {}, 'unknown option "argv"'],
    ['no files', { files: {} }, {}, 'option "entry": must be one of the files'],
    ['two programs and no main.py', { files: { 'a.py': '', 'b.py': '' } }, {}, 'must be one of the files'],
    ['an entry to guess', { files: { 'a.py': '', 'b.py': '' } }, {}, 'among a.py, b.py; name the one to run'],
    ['a text for files', { files: 'print(1)' }, {}, "must be contents by path, as in { 'main.py': … }"],
    ['a number for a file', { files: { 'a.py': 7 } }, {}, 'option "files.a.py": must be text or bytes'],
    ['a text for variables', { files, env: 'A=1' }, {}, 'option "env": must be an object'],
    ['an entry that is not there', { files, entry: 'app.py' }, {}, '(received "app.py")'],
    ['a path that leaves', { files: { '../a.py': '' } }, {}, 'leaves the workspace'],
    ['two paths that are one', { files: { 'a.py': '', './a.py': '' } }, {}, 'a second time'],
    ['a folder that is not there', { files, cwd: 'data' }, {}, 'must be the folder of one of the files'],
    ['an argument with a NUL', { files, args: ['\0'] }, {}, 'must not hold a NUL byte'],
    ['half a character in an argument', { files, args: ['\ud800'] }, {}, 'half a character'],
    ['a variable of a strange name', { files, env: { 'A-B': '1' } }, {}, 'option "env.A-B"'],
    ['a number for input', { files, stdin: 7 }, {}, 'option "stdin": must be text or bytes'],
    [
      'a stream for input',
      { files, stdin: process.stdin },
      {},
      'to pass on a stream, start the program with spawn()',
    ],
    ['code for files', { code: 'print(1)' }, {}, "{ files: { 'main.py': … } }, or its text alone"],
    ['a time limit of other words', { files }, { timeout: 1 }, 'did you mean "limits.wallMs"?'],
    ['a misspelt limit', { files }, { limits: { wallMS: 1 } }, 'did you mean "limits.wallMs"?'],
    ['a field of the program', { files }, { stdin: 'x' }, 'belongs to the program, beside its files'],
    ['a pattern to collect', { files }, { collect: ['n*'] }, 'not a pattern; true collects all'],
    ['a path to collect that leaves', { files }, { collect: ['/etc'] }, 'is absolute'],
    ['false to collect', { files }, { collect: false }, 'option "collect"'],
    ['one path to collect', { files }, { collect: 'a.txt' }, "a list of paths such as ['out.txt'] (received"],
  ])('is refused before anything runs: %s', async (_, program, options, words) => {
    const provider = memorySandbox()
    const sandbox = await provider.create()
    const call = runProgram(sandbox, program as ProgramRun, options as RunProgramOptions)
    await expect(call).rejects.toThrow(words)
    expect(provider.commands).toEqual([])
  })

  test.each(['memoryBytes', 'processes', 'diskBytes', 'fileBytes'] as const)(
    'a limit that the sandbox does not enforce is refused: %s',
    async (name) => {
      const sandbox = await memorySandbox().create()
      const call = runProgram(sandbox, of(''), { limits: { [name]: 1024 } })
      await expect(call).rejects.toMatchObject({
        code: 'SANDBOX_UNSUPPORTED',
        details: { requested: `limits.${name}` },
      })
    },
  )

  test('a sandbox that cannot keep a warm interpreter says so when asked to prepare one', async () => {
    const sandbox = await memorySandbox().create()
    await expect(prepareRunner(sandbox)).rejects.toMatchObject({ code: 'SANDBOX_UNSUPPORTED' })
  })
})

describe.runIf(requires('python3') && onLinux('both engines of runProgram'))('with either engine', () => {
  let sandbox: Sandbox
  let both: readonly Sandbox[]
  beforeAll(async () => {
    sandbox = await subprocess({ isolation: 'process', minimum: 'process' }).create({
      limits: { wallMs: 30_000 },
    })
    both = [sandbox, withoutSpawn(sandbox)]
  })
  afterAll(() => sandbox.close())
  afterEach(() => void vi.unstubAllEnvs())

  test('the only Python file is the entry, and it may be in a folder', async () => {
    for (const one of both) {
      const { stdout } = await runProgram(one, {
        files: { 'app/run.py': 'print(__file__[-10:])', 'a.txt': '' },
      })
      expect(stdout.text).toBe('app/run.py\n')
    }
  })

  test("the host's variables are passed on", async () => {
    vi.stubEnv('MENDLOOP_TEST', 'é')
    for (const one of both) {
      const { stdout } = await runProgram(one, {
        files: { 'main.py': 'import os\nprint(os.environ["MENDLOOP_TEST"])' },
        env: process.env,
      })
      expect(stdout.text).toBe('é\n')
    }
  })

  test('a text alone is main.py', async () => {
    for (const one of both) {
      const { stdout } = await runProgram(one, 'print(__file__[-7:])')
      expect(stdout.text).toBe('main.py\n')
    }
  })

  test('output is told as it comes, and a listener that throws breaks nothing', async () => {
    for (const one of both) {
      const chunks: OutputChunk[] = []
      const onOutput = (chunk: OutputChunk): void => {
        chunks.push(chunk)
        throw new Error('of the caller')
      }
      const { ok } = await runProgram(one, of('import sys\nprint("é")\nprint("b", file=sys.stderr)'), {
        onOutput,
      })
      expect(ok).toBe(true)
      const text = (stream: string): string =>
        chunks.map((chunk) => (chunk.stream === stream ? chunk.text : '')).join('')
      expect([text('stdout'), text('stderr')]).toEqual(['é\n', 'b\n'])
    }
  })

  test('an abort ends it, before its start and while it runs', async () => {
    for (const one of both) {
      const early = await runProgram(one, of('print(1)'), { signal: AbortSignal.abort() })
      expect([early.outcome, early.stdout.text]).toEqual([{ kind: 'aborted' }, ''])
      const controller = new AbortController()
      const late = await runProgram(one, of('import os\nos.write(1, b"up\\n")\nwhile True: pass'), {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      })
      expect([late.outcome, late.stdout.text, late.ok]).toEqual([{ kind: 'aborted' }, 'up\n', false])
    }
  })

  test('only the files that were asked for come back, and all changes are told', async () => {
    const program = of(
      'import os\nos.mkdir("out")\nfor path in ("out/a", "out/b", "c"): open(path, "w").write(path)',
    )
    for (const one of both) {
      const some = await runProgram(one, program, { collect: ['out/b', 'nowhere'] })
      expect(Object.keys(some.files)).toEqual(['out/b'])
      expect(some.missing).toEqual(['nowhere'])
      const folder = await runProgram(one, program, { collect: ['out'] })
      expect(Object.keys(folder.files).sort()).toEqual(['out/a', 'out/b'])
      expect(folder).not.toHaveProperty('missing')
      const none = await runProgram(one, program)
      expect(none.files).toEqual({})
      expect(none.changes.map(({ path }) => path)).toEqual(['c', 'out/a', 'out/b'])
    }
  })

  test('what is too much to be given is named', async () => {
    const program = of('for n in range(3): open(f"f{n}", "wb").truncate(40 << 20)')
    for (const one of both) {
      const { files, withheld, changes } = await runProgram(one, program, { collect: true })
      expect([...Object.keys(files), ...withheld].sort()).toEqual(['f0', 'f1', 'f2'])
      expect(Object.keys(files)).toHaveLength(1)
      expect(changes).toHaveLength(3)
    }
  })

  test('nothing of a run is left in the workspace, and nothing of the workspace is in a run', async () => {
    await sandbox.files.write({ 'kept.txt': 'of the workspace' })
    for (const one of both) {
      const { stdout } = await runProgram(
        one,
        of('import os\nopen("new", "w")\nprint(sorted(os.listdir(".")))'),
      )
      expect(stdout.text).toBe("['main.py', 'new']\n")
      expect((await sandbox.files.list()).map(({ path }) => path)).toEqual(['kept.txt'])
    }
  })

  test('many runs at once mix nothing up', async () => {
    for (const one of both) {
      const runs = Array.from({ length: 8 }, (_, n) =>
        runProgram(one, of(`print(${n})\nopen("f", "w").write("${n}")`), { collect: true }),
      )
      for (const [n, { stdout, files }] of (await Promise.all(runs)).entries())
        expect([stdout.text, Buffer.from(files['f'] ?? []).toString()]).toEqual([`${n}\n`, `${n}`])
    }
  })

  test('a program too large for one frame runs all the same', async () => {
    const program = {
      files: { 'main.py': 'print(len(open("data", "rb").read()))', data: new Uint8Array(70 << 20) },
    }
    const { stdout, engine } = await runProgram(sandbox, program, { limits: { fileBytes: 1 << 30 } })
    expect([stdout.text, engine]).toEqual([`${70 << 20}\n`, 'process'])
  })

  test('packages that are loaded ahead are there at once, and a missing one is no error', async () => {
    const { stdout } = await runProgram(sandbox, of('import sys\nprint("decimal" in sys.modules)'), {
      preload: ['decimal', 'no_such_package'],
    })
    expect(stdout.text).toBe('True\n')
    expect((await prepareRunner(sandbox, { preload: ['fractions'] })).loaded).toEqual(
      expect.arrayContaining(['decimal', 'fractions']),
    )
  })

  test.each<[RunnerPreparation, string]>([
    [{ preload: ['scikit-learn'] }, 'such as "sklearn" for the package scikit-learn'],
    [{ preload: 'json' as never }, 'must be a list of modules, such as ["pandas"]'],
    [{ spares: -1 }, 'must not be negative'],
    [{ spare: 1 } as never, 'did you mean "spares"?'],
    [null as never, 'prepareRunner()'],
  ])('what is refused ahead, %j, is refused once and spoils no run', async (preparation, words) => {
    await expect(prepareRunner(sandbox, preparation)).rejects.toThrow(words)
    const preload = preparation?.preload
    if (preload !== undefined)
      await expect(runProgram(sandbox, 'print(1)', { preload })).rejects.toThrow(words)
    const { stdout, engine } = await runProgram(sandbox, 'print(1)', { preload: ['decimal'] })
    expect([stdout.text, engine]).toEqual(['1\n', 'runner'])
  })

  test('a limit with which nothing starts is refused, as by exec', async () => {
    const refused = runProgram(sandbox, of(''), { limits: { memoryBytes: 1 } })
    await expect(refused).rejects.toThrow('limits.memoryBytes": must be at least 1048576')
  })

  test('a file may be called __proto__, in both engines', async () => {
    const files = JSON.parse('{"__proto__": "three"}')
    files['main.py'] = 'print(open("__proto__").read())\nopen("__proto__", "a").write("!")'
    for (const one of [sandbox, withoutSpawn(sandbox)]) {
      const { stdout, files: left } = await runProgram(one, { files }, { collect: true })
      expect([stdout.text, Object.keys(left)]).toEqual(['three\n', ['__proto__']])
    }
  })

  test('a provider in the place of its sandbox is told', async () => {
    await expect(prepareRunner({ create: () => undefined } as never)).rejects.toThrow('must be a sandbox')
  })

  test('a flood is counted to the last byte and costs no memory', async () => {
    const before = process.memoryUsage().arrayBuffers
    const program = of('import os\nblock = b"x" * 65536\nfor _ in range(4096): os.write(1, block)')
    let most = 0
    const { stdout } = await runProgram(sandbox, program, {
      limits: { outputBytes: 1024 * 1024 },
      onOutput: () => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
      },
    })
    expect([stdout.bytes, stdout.truncated]).toEqual([4096 * 65536, true])
    expect(Math.max(most, process.memoryUsage().arrayBuffers - before)).toBeLessThan(64 * 1024 * 1024)
  })

  test('a closed sandbox says so', async () => {
    const other = await subprocess({ isolation: 'process', minimum: 'process' }).create()
    expect((await runProgram(other, of(''))).engine).toBe('runner')
    const running = runProgram(other, of('print("up")\nwhile True: pass'), {
      onOutput: () => void other.close(),
    })
    expect((await running).outcome).toEqual({ kind: 'aborted' })
    for (const one of [other, withoutSpawn(other)])
      await expect(runProgram(one, of(''))).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' })
  })
})
