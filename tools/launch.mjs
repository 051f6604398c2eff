// Starts a program of this repository from TypeScript source, installing what it needs first: no build, no global tool.
import { fileURLToPath } from 'node:url'
import { runChild } from './child.mjs'
import { writeGuestPrograms } from './guest-programs.mjs'
import { ensureInstalled } from './install.mjs'
import { orphansCollected } from './orphans.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const OLDEST_NODE = [20, 19]

/** Flags that make Node read TypeScript, and the sources of sibling packages instead of their builds. */
const FROM_SOURCE = ['--conditions=@mendloop/source', '--import', 'tsx']

/**
 * Runs `program` to its end and makes its exit status ours.
 *
 * A program of ours (.ts) also gets an IPC channel: 'disconnect' tells it that this launcher is gone.
 *
 * @param {string} program - path from the repository's root
 * @param {readonly string[]} args
 */
export async function launch(program, args) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    console.error(`Mendloop needs Node ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.`)
    process.exitCode = 1
    return
  }
  const installed = await ensureInstalled().catch((error) => {
    console.error(error.message)
    return 1
  })
  if (installed !== 0) {
    process.exitCode = installed
    return
  }
  writeGuestPrograms()
  const fromSource = program.endsWith('.ts')
  const flags = fromSource ? [...FROM_SOURCE, '--import', './tools/follow-launcher.mjs'] : []
  const { status, stopped } = await runChild(process.execPath, [...flags, program, ...args], {
    cwd: root,
    // The compiler's cache would stay behind in the temporary folder; without it a start takes half a second longer.
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    stdio: fromSource ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  })
  // Whoever stopped us waits for nothing but our end.
  if (status < 128 && !stopped) await orphansCollected()
  process.exitCode = status
}
