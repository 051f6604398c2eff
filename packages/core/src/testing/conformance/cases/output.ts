// Promises about what a program prints.
import type { CapturedText } from '../../../contract/execution.js'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.js'
import { ensure, equal, inShort, succeeded, within } from '../expectations.js'
import { PATIENT, python, runPython, watchMemory } from '../probe.js'

const group = 'output'
const FLOOD_DEADLINE_MS = 120_000
const MOST_GROWTH_BYTES = 64 * 1024 * 1024

const FLOOD = `
import os, sys
target, size = int(sys.argv[1]), int(sys.argv[2])
def put(data):
    while data: data = data[os.write(target, data):]
put(b"first\\n")
block = memoryview(b"x" * (1 << 20))
while size > 0:
    put(block[:size]); size -= len(block)
put(b"\\nlast\\n")`

const FLOOD_FRAME_BYTES = Buffer.byteLength('first\n\nlast\n')

function floodCase(stream: 'stdout' | 'stderr', descriptor: string): ConformanceCase {
  const spoken = stream === 'stdout' ? 'standard output' : 'standard error'
  return {
    name: `keeps head and tail of a flood on ${spoken}, counts every byte and does not grow`,
    group,
    needs: 'python',
    deadlineMs: FLOOD_DEADLINE_MS,
    async check(context) {
      const sandbox = await context.open()
      const outputBytes = 64 * 1024
      const flood = (bytes: number) =>
        sandbox.exec(python(context, FLOOD, descriptor, String(bytes)), {
          limits: { outputBytes, wallMs: FLOOD_DEADLINE_MS - 10_000 },
        })
      // The first one pays for buffers that are used again.
      await flood(Math.min(context.floodBytes, 32 * 1024 * 1024))
      const { value: result, grownBytes } = await watchMemory(() => flood(context.floodBytes))
      ensure(grownBytes < MOST_GROWTH_BYTES, `the host's memory grew by ${grownBytes} bytes during a flood`)
      const ended = result.outcome.kind === 'resource' && result.outcome.limit === 'output'
      if (!ended) succeeded(result, 'a flood')
      checkCut(result[stream], outputBytes, ended ? undefined : context.floodBytes + FLOOD_FRAME_BYTES)
      const other = result[stream === 'stdout' ? 'stderr' : 'stdout']
      equal([other.text, other.bytes], ['', 0], 'the other stream')
    },
  }
}

function checkCut(captured: CapturedText, outputBytes: number, written: number | undefined): void {
  const { text, bytes, truncated, omittedBytes } = captured
  const kept = Buffer.byteLength(text)
  if (written !== undefined) equal(bytes, written, 'the bytes that were counted')
  ensure(truncated && omittedBytes > 0, 'output beyond the limit should be told as truncated')
  ensure(kept <= outputBytes, `${kept} bytes were kept of at most ${outputBytes}`)
  ensure(kept >= outputBytes / 2, `only ${kept} bytes were kept of ${outputBytes}`)
  ensure(text.startsWith('first\nxxx'), `the head is lost: ${inShort(text.slice(0, 40))}`)
  if (written !== undefined)
    ensure(text.endsWith('xxx\nlast\n'), `the tail is lost: ${inShort(text.slice(-40))}`)
}

/** What a listener hears while a Python program runs, all together. */
async function listen(
  context: ConformanceContext,
  code: string,
  outputBytes?: number,
): Promise<{ heard: Record<'stdout' | 'stderr', string[]>; stdout: CapturedText; stderr: CapturedText }> {
  const sandbox = await context.open()
  const heard = { stdout: [] as string[], stderr: [] as string[] }
  const result = await sandbox.exec(python(context, code), {
    limits: { ...PATIENT.limits, ...(outputBytes !== undefined && { outputBytes }) },
    onOutput: ({ stream, text }) => void heard[stream].push(text),
  })
  succeeded(result, 'printing')
  return { heard, stdout: result.stdout, stderr: result.stderr }
}

export const outputCases: readonly ConformanceCase[] = [
  {
    name: 'keeps standard output and standard error apart',
    group,
    async check({ open }) {
      const sandbox = await open()
      const { stdout, stderr } = await sandbox.exec(
        'printf one; printf two >&2; printf three; printf four >&2',
        PATIENT,
      )
      equal([stdout.text, stderr.text], ['onethree', 'twofour'], 'the two streams')
      equal(
        [stdout.bytes, stdout.truncated, stdout.omittedBytes],
        [8, false, 0],
        'what is told of output that fits',
      )
    },
  },
  {
    name: 'keeps characters whole that arrive in pieces',
    group,
    needs: 'python',
    async check(context) {
      const text = 'a€世🎉é'
      const code = `
import os, time
for byte in ${JSON.stringify(text)}.encode():
    os.write(1, bytes([byte])); time.sleep(0.005)`
      const { heard, stdout } = await listen(context, code)
      equal(stdout.text, text, 'text whose characters were written byte by byte')
      equal(heard.stdout.join(''), text, 'the same text as it was told live')
    },
  },
  {
    name: 'replaces bytes that are no text, and counts them as written',
    group,
    needs: 'python',
    async check(context) {
      const { stdout } = await listen(context, String.raw`import os; os.write(1, b"a\xffb\xe2\x82")`)
      equal(stdout.text, 'a\ufffdb\ufffd', 'text with bytes that are not UTF-8')
      equal(stdout.bytes, 5, 'the bytes that were counted')
    },
  },
  {
    name: 'takes what Python prints for UTF-8, without being told',
    group,
    needs: 'python',
    async check(context) {
      const { stdout, stderr } = await listen(
        context,
        'import sys; print("世界 ✓"); print("ünï", file=sys.stderr)',
      )
      equal([stdout.text, stderr.text], ['世界 ✓\n', 'ünï\n'], 'text in other scripts')
    },
  },
  {
    name: 'keeps bytes that look like anything: NUL, escapes, carriage returns',
    group,
    needs: 'python',
    async check(context) {
      const { stdout } = await listen(
        context,
        String.raw`import os; os.write(1, b"a\0b\x1b[31mc\rd\r\n\x07")`,
      )
      equal(stdout.text, 'a\0b\u001b[31mc\rd\r\n\u0007', 'text with control characters')
    },
  },
  {
    name: 'tells output while the program still runs',
    group,
    async check({ open }) {
      const sandbox = await open()
      let answered: Promise<void> | undefined
      const command = 'echo ready; until [ -e go ]; do sleep 0.05; done; echo done'
      const running = sandbox.exec(command, {
        ...PATIENT,
        onOutput({ text }) {
          if (!text.includes('ready') || answered !== undefined) return
          answered = sandbox.files.write({ go: '' })
          answered.catch(() => undefined)
        },
      })
      const result = await within(15_000, 'a program that waits for the answer to its first line', running)
      await answered
      equal(succeeded(result, 'the program'), 'ready\ndone\n', 'what it printed')
    },
  },
  {
    name: 'tells output in the order in which it was written',
    group,
    needs: 'python',
    async check(context) {
      const code = 'import os\nfor i in range(3000): os.write(1, b"%d," % i); os.write(2, b"%d;" % i)'
      const { heard, stdout, stderr } = await listen(context, code)
      const numbers = Array.from({ length: 3000 }, (_, index) => String(index))
      equal(stdout.text, numbers.map((one) => `${one},`).join(''), 'standard output')
      equal(heard.stdout.join(''), stdout.text, 'standard output as it was told live')
      equal(heard.stderr.join(''), stderr.text, 'standard error as it was told live')
    },
  },
  {
    name: 'tells no more output live than the output limit',
    group,
    needs: 'python',
    async check(context) {
      const { heard, stdout } = await listen(context, 'import os; os.write(1, b"x" * 60_000)', 4096)
      const told = heard.stdout.join('').length
      ensure(told <= 4096, `${told} bytes were told live at a limit of 4096`)
      ensure(told > 0, 'nothing was told live')
      equal(stdout.bytes, 60_000, 'the bytes that were counted')
    },
  },
  {
    name: 'goes on when a listener of output throws',
    group,
    async check({ open }) {
      const sandbox = await open()
      const result = await sandbox.exec('echo one; sleep 0.1; echo two', {
        ...PATIENT,
        onOutput() {
          throw new Error('a listener that throws')
        },
      })
      equal(succeeded(result, 'a program with a listener that throws'), 'one\ntwo\n', 'what it printed')
    },
  },
  {
    name: 'keeps output that was printed before a hard exit',
    group,
    needs: 'python',
    async check(context) {
      const sandbox = await context.open()
      const result = await runPython(context, sandbox, 'import os; os.write(1, b"kept"); os._exit(3)')
      equal([result.outcome, result.stdout.text], [{ kind: 'exit', code: 3 }, 'kept'], 'outcome and output')
    },
  },
  floodCase('stdout', '1'),
  floodCase('stderr', '2'),
]
