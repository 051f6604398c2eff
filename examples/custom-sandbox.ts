// A sandbox of your own is one object with `exec`, `files` and `close`. This one borrows the walls and the workspace of
// another, has programs write files that nobody else can read, and keeps a log. The kit says whether it is a good one.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command, Sandbox, SandboxProvider } from '@mendloop/core'
import { toCommandObject } from '@mendloop/core/adapter'
import { guaranteesMatrix, runSandboxConformance } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

/** Runs programs that write private files; `log` is told of each run. */
export function discreet(log: (line: string) => void = () => undefined): SandboxProvider {
  const inner = subprocess({ minimum: 'process' })
  return {
    id: 'discreet',
    specVersion: 'sandbox-v1',
    async create(options) {
      const sandbox = await inner.create(options)
      const discreetly = (command: Command, owner: string): Command => {
        const { argv, ...rest } = toCommandObject(command, owner)
        return { ...rest, argv: ['/bin/sh', '-c', 'umask 077; exec "$@"', 'sh', ...argv] }
      }
      const own: Sandbox = {
        id: sandbox.id,
        workdir: sandbox.workdir,
        guarantees: sandbox.guarantees,
        files: sandbox.files,
        async exec(command, execOptions) {
          const result = await sandbox.exec(discreetly(command, 'exec()'), execOptions)
          log(`${result.outcome.kind} after ${Math.round(result.durationMs)} ms`)
          return result
        },
        close: () => sandbox.close(),
        [Symbol.asyncDispose]: () => sandbox.close(),
      }
      return own
    },
  }
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const sandbox = await discreet().create()
  const { stdout } = await sandbox.exec('echo > own.txt; ls -l own.txt | cut -c 1-10')
  await sandbox.close()
  const { passed, failed, skipped } = await runSandboxConformance(discreet(), {
    only: ['programs', 'files'],
  })
  console.log(`${stdout.text}${passed} promises kept, ${failed} broken, ${skipped} not claimed\n`)
  console.log(guaranteesMatrix([{ name: 'discreet', guarantees: sandbox.guarantees }]))
}
