// What a program that `runProgram` starts finds in its own memory: nothing of what the sandbox was sent before.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { RunnerRequest } from '../../../src/contract/fork-runner.js'
import { confinementsHere, type OpenRunner, openRunner } from '../../helpers/open-runner.js'

const kinds = await confinementsHere(['plain', 'landlock', 'namespaces'])

/**
 * Looks for each marker in all memory that it can read. It never holds one of them itself: it is told them with each bit
 * turned over, and turns over what it reads. What it holds and looks for as well is the control.
 */
const SCAN = `
import sys
TURNED = bytes(255 - n for n in range(256))
wanted = {name: bytes.fromhex(digits) for name, digits in (word.split('=') for word in sys.argv[1:])}
control = 'to-be-found-%d' % (len(sys.argv) * 1000003)
wanted['control'] = bytes(255 - ord(letter) for letter in control)
with open('/proc/self/maps') as maps:
    ranges = [line.split() for line in maps]
found, size = set(), 0
with open('/proc/self/mem', 'rb', 0) as memory:
    for place, rights, *rest in ranges:
        # What cannot be written and has a path is that file, or the kernel's.
        if rights[0] != 'r' or rights[1] != 'w' and rest[3:]:
            continue
        start, end = (int(digits, 16) for digits in place.split('-'))
        memory.seek(start)
        data = memory.read(end - start).translate(TURNED)
        size += len(data)
        found.update(name for name, needle in wanted.items() if needle in data)
print(size > 1000000, *sorted(found))
`
const NOTHING_BUT_CONTROL = 'True control\n'

/** Words that are nowhere else, by the place that they are put in. */
class Markers {
  readonly #markers = new Map<string, string>()

  at(place: string): string {
    const marker = this.#markers.get(place) ?? randomBytes(7).toString('hex')
    this.#markers.set(place, marker)
    return marker
  }

  /** Arguments of the scan. */
  get turned(): string[] {
    return [...this.#markers].map(
      ([place, marker]) =>
        `${place}=${Buffer.from(Buffer.from(marker).map((byte) => 255 - byte)).toString('hex')}`,
    )
  }
}

/** A request for Python source as `main.py` of a fresh workspace. */
const program = (source: string, ...args: string[]): Partial<RunnerRequest> => ({
  program: { kind: 'python', entry: 'main.py', args },
  workspace: 'fresh',
  files: { 'main.py': Buffer.from(source) },
})

/** Python for the text of a marker, which does not stand in the source itself. */
const made = (marker: string): string => `bytes.fromhex('${Buffer.from(marker).toString('hex')}').decode()`

/** What ran before: in each way that something can be sent to an execution or comes back from it. */
const EARLIER: Readonly<
  Record<string, (runner: OpenRunner, at: (place: string) => string) => Promise<unknown>>
> = {
  'a program whose files are collected': async ({ start }, at) => {
    const source = `
# ${at('source')}
import sys
print(${made(at('stdout'))})
print(${made(at('stderr'))}, file=sys.stderr)
open(${made(at('createdName'))}, 'w').write(${made(at('createdContent'))})
raise ValueError(${made(at('exception'))})
`
    const request = program(source, at('argument'))
    const { done } = start({
      ...request,
      files: { ...request.files, [at('fileName')]: Buffer.from(at('fileContent')) },
      env: { PATH: '/usr/bin:/bin', [`V${at('variableName')}`]: at('variable') },
      stdin: Buffer.from(at('stdin')),
      collect: { files: 10, bytes: 10_000 },
    })
    const { stdout, stderr, texts } = await done
    expect(stdout).toBe(`${at('stdout')}\n`)
    expect(stderr).toContain(at('exception'))
    expect(texts).toEqual({ [at('createdName')]: at('createdContent') })
  },
  'a program that leaves files and gives none back': async ({ start }, at) => {
    const source = `
# ${at('leavingSource')}
import os, sys
deep = os.path.join(${made(at('folder'))}, 'a', ${made(at('deepFolder'))})
os.makedirs(deep)
open(os.path.join(deep, ${made(at('leftName'))}), 'w').write(${made(at('leftContent'))})
# Many: of a few that were read and let go the memory is used again at once.
for number in range(400):
    open(${made(at('topName'))} + '-%d' % number * 30, 'w').close()
os.symlink(${made(at('linkTarget'))}, ${made(at('linkName'))})
try:
    os.setxattr('.', 'user.' + ${made(at('attributeName'))}, ${made(at('attributeValue'))}.encode())
except OSError:
    pass
sys.stdout.write(sys.stdin.read())
`
    const { execution, done } = start({ ...program(source), stdin: 'pipe' })
    await execution.write(Buffer.from(at('pipedStdin')))
    execution.endInput()
    expect((await done).stdout).toBe(at('pipedStdin'))
  },
  'a command': async ({ start }, at) => {
    const { done } = start({
      program: { kind: 'argv', argv: ['/bin/sh', '-c', 'cat; echo "$0" >&2; echo > "$MADE"', at('word')] },
      env: { PATH: '/usr/bin:/bin', MADE: at('madeName') },
      stdin: Buffer.from(at('commandStdin')),
    })
    const { stdout, stderr } = await done
    expect([stdout, stderr]).toEqual([at('commandStdin'), `${at('word')}\n`])
  },
  'a command that names its processes': async ({ exec }, at) => {
    // The kernel keeps 15 letters of a name.
    const script =
      'cp /bin/sleep "$0"; ./"$0" 1000 & while ! grep -qs "$0" /proc/$!/comm; do :; done; kill -9 $$'
    const end = await exec(['/bin/sh', '-c', script, at('processName')], {
      workspace: 'fresh',
      limits: { cpuSeconds: { soft: 2, hard: 2 } },
    })
    expect(end.how).toMatchObject({ kind: 'signal' })
  },
  'a command that is not there': async ({ exec }, at) => {
    expect((await exec([at('missing').repeat(99)])).how).toMatchObject({
      reason: expect.stringContaining(at('missing')),
    })
  },
  'a program in a folder that is not there': async ({ start }, at) => {
    const { how } = await start({ ...program('pass'), cwd: `${at('missingFolder')}/`.repeat(99) }).done
    expect(how).toMatchObject({ reason: expect.stringContaining(at('missingFolder')) })
  },
}

describe.each(kinds)('in %s', (confinement) => {
  test.each([0, 1])(
    'nothing of an earlier execution is in the memory of a program, with %i spare processes',
    async (spares) => {
      // Landlock lets nobody read /proc as it is set up here; a program needs no file to read its memory.
      const setup = { readOnly: ['/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc/ld.so.cache', '/proc'] }
      const opened = await openRunner(confinement, { setup })
      const markers = new Markers()
      const scan = async (): Promise<string> => {
        const { stdout, stderr } = await opened.start(program(SCAN, ...markers.turned)).done
        return stdout + stderr
      }
      await opened.runner.prepare({ spares })
      for (const [what, run] of Object.entries(EARLIER)) {
        await run(opened, (place) => markers.at(place))
        expect([what, await scan()]).toEqual([what, NOTHING_BUT_CONTROL])
      }
    },
  )
})
