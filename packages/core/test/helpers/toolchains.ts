// Opens sandboxes in which the compilers of this machine are found, wherever it keeps them.
import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { SandboxProvider } from '../../src/contract/sandbox.js'

/** Runs a program here and answers what it printed; undefined where there is none. */
function answer(file: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** Folders of compilers that are not in the usual places: the real ones, since shims need the user's home. */
function toolFolders(): string[] {
  const goRoot = answer('go', ['env', 'GOROOT'])
  const rustRoot = answer('rustc', ['--print', 'sysroot'])
  return [
    ...(goRoot === undefined ? [] : [join(goRoot, 'bin')]),
    ...(rustRoot === undefined ? [] : [join(rustRoot, 'bin')]),
    dirname(realpathSync(process.execPath)),
  ]
}

/** The cache of this machine's own Go, so that not every sandbox of a test compiles the standard library. */
const goCache = answer('go', ['env', 'GOCACHE'])

/** A provider whose programs find every toolchain of this machine. */
export function sandboxWithTools(): SandboxProvider {
  const usual = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin']
  return subprocess({
    isolation: 'process',
    minimum: 'process',
    limits: { wallMs: 20_000 },
    env: {
      PATH: [...new Set([...toolFolders(), ...usual])].join(delimiter),
      ...(goCache !== undefined && { GOCACHE: goCache }),
    },
  })
}
