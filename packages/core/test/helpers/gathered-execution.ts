// Python code in a fork runner, with what it prints gathered; for tests only.
import type { ForkRunner, RunnerExecution, RunnerRequest } from '../../src/contract/fork-runner.js'

/** An execution whose output can be asked for. */
export interface GatheredExecution extends RunnerExecution {
  /** All that it has printed on both streams. */
  text(): string
  /** Resolves when it prints something; rejects when it ends without. */
  readonly first: Promise<void>
}

/** Starts it in a fresh workspace, with nothing but a PATH. */
export function startPython(
  runner: ForkRunner,
  source: string,
  request: Partial<RunnerRequest> = {},
): GatheredExecution {
  const seen: Buffer[] = []
  let arrived = (): void => undefined
  let gone = (_: Error): void => undefined
  const first = new Promise<void>((resolve, reject) => {
    arrived = resolve
    gone = reject
  })
  first.catch(() => undefined)
  const execution = runner.start(
    {
      program: { kind: 'python', entry: 'main.py', args: [] },
      env: { PATH: process.env['PATH'] ?? '' },
      cwd: '',
      workspace: 'fresh',
      files: { 'main.py': Buffer.from(source) },
      stdin: 'none',
      limits: {},
      ...request,
    },
    {
      onOutput: (_, data) => {
        seen.push(Buffer.from(data))
        arrived()
      },
    },
  )
  void execution.ended.then(({ how }) => gone(new Error(`it ended without a word: ${JSON.stringify(how)}`)))
  return {
    write: (data) => execution.write(data),
    endInput: () => execution.endInput(),
    pause: (paused) => execution.pause(paused),
    terminate: () => execution.terminate(),
    kill: () => execution.kill(),
    ended: execution.ended,
    text: () => Buffer.concat(seen).toString(),
    first,
  }
}
