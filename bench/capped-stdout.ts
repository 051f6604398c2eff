// stdout.capped.overPipe: bytes a second through the SDK, which keeps a capped part of them, over a raw Node pipe.
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { Benchmark } from './figure.js'
import { interleaved, realPython, rounded, spawnToClose } from './measure.js'

const ROUNDS = 7
const BYTES = 192 * 1024 * 1024
const BLOCK = 64 * 1024
const PROGRAM = `import os
block = (b"x" * 79 + b"\\n") * ${Math.ceil(BLOCK / 80)}
block = block[:${BLOCK}]
for _ in range(${BYTES / BLOCK}):
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(1, rest):]
`

/** Head and tail kept, the rest counted. */
export const cappedStdout: Benchmark = {
  name: 'stdout.capped.overPipe',
  unit: 'ratio',
  target: 0.8,
  fail: 0.6,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    const program = [python, '-I', '-S', '-E', '-B', '-c', PROGRAM] as const
    const limits = { outputBytes: 1024 * 1024, wallMs: 60_000 }
    await using sandbox = await subprocess({ minimum: 'process' }).create({ limits })
    const speed = (bytes: number, ms: number): number => {
      if (bytes !== BYTES) throw new Error(`${bytes} of ${BYTES} bytes arrived`)
      return bytes / 1e6 / (ms / 1000)
    }
    const throughSdk = async (): Promise<number> => {
      const startedAt = performance.now()
      const { stdout } = await sandbox.exec(program)
      return speed(stdout.bytes, performance.now() - startedAt)
    }
    const raw = async (): Promise<number> => {
      // In a session of its own, as the sandbox runs it: on a busy machine Linux gives each session its share of the
      // processors, and that difference, up to a factor of three here, is none of the SDK's.
      const { bytes, ms } = await spawnToClose(program, { detached: true })
      return speed(bytes, ms)
    }
    await interleaved(1, throughSdk, raw)
    const { one, other } = await interleaved(ROUNDS, throughSdk, raw)
    return {
      value: rounded(one / other),
      baseline: { name: 'raw pipe, detached', value: rounded(other), unit: 'MB/s' },
      samples: ROUNDS,
    }
  },
}
