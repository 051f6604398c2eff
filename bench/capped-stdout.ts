// stdout.*.overPipe: bytes a second through the SDK, which keeps a capped part of them, over a raw Node pipe.
import { type ExecutionResult, runProgram, type Sandbox } from '@mendloop/core'
import type { Benchmark } from './figure.js'
import { interleaved, realPython, rounded, spawnToClose } from './measure.js'
import { inTier, type Tier } from './tier.js'

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

interface Goal {
  readonly name: string
  readonly tier: Tier
  readonly target: number
  readonly fail: number
  run(sandbox: Sandbox, program: readonly string[]): Promise<ExecutionResult>
}

const stdoutOverPipe = ({ name, tier, target, fail, run }: Goal): Benchmark => ({
  name,
  unit: 'ratio',
  target,
  fail,
  async measure() {
    const python = realPython()
    if (python === undefined) return { skipped: 'python3 is not installed' }
    const program = [python, '-I', '-S', '-E', '-B', '-c', PROGRAM] as const
    const limits = { outputBytes: 1024 * 1024, wallMs: 60_000 }
    return await inTier(tier, { limits }, async (sandbox) => {
      const throughSdk = async (): Promise<number> => {
        const startedAt = performance.now()
        const { stdout } = await run(sandbox, program)
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
    })
  },
})

function speed(bytes: number, ms: number): number {
  if (bytes !== BYTES) throw new Error(`${bytes} of ${BYTES} bytes arrived`)
  return bytes / 1e6 / (ms / 1000)
}

/** Head and tail kept, the rest counted: of a process of its own, and in frames of the runner. */
export const cappedStdouts: readonly Benchmark[] = [
  stdoutOverPipe({
    name: 'stdout.capped.overPipe',
    tier: 'process',
    target: 0.8,
    fail: 0.6,
    run: (sandbox, program) => sandbox.exec(program),
  }),
  stdoutOverPipe({
    name: 'stdout.framed.overPipe',
    tier: 'landlock',
    target: 0.4,
    fail: 0.25,
    run: (sandbox) => runProgram(sandbox, { files: { 'main.py': PROGRAM } }),
  }),
]
