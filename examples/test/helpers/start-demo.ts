// Starts the demo as tools/start.mjs does, and collects what it says.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MAIN = join(ROOT, 'examples/demo/main.ts')
// Started by its file, since a bare name in a child is found from the child's folder.
const TSX = import.meta.resolve('tsx')

const folders: string[] = []

/** A fresh folder that the demo may write to; taken away when the test file has ended. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'demo-test-'))
  folders.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A temporary folder for the demos of one test file, so that what they leave behind shows whatever else runs here. */
const TEMP = freshFolder()
// Open: as root, programs run as another user, whose sandboxes would else be made in another place.
chmodSync(TEMP, 0o755)

/** What demos left in their temporary folder; tsx keeps its own cache of compiled files there. */
export const leftovers = (): readonly string[] => readdirSync(TEMP).filter((name) => !name.startsWith('tsx-'))

/** A running demo. */
export interface StartedDemo {
  readonly child: ChildProcess
  /** Everything written to standard output so far. */
  stdout(): string
  /** Resolves when standard output holds `text`. */
  says(text: string): Promise<void>
  readonly ended: Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>
}

/** @param env - besides PATH and HOME, nothing of ours is passed on: a key in it would start a live model */
export function startDemo(args: readonly string[], env: NodeJS.ProcessEnv = {}): StartedDemo {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, ['--conditions=@mendloop/source', '--import', TSX, MAIN, ...args], {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR: TEMP, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // Not 'close': it never comes after a disconnect.
  const exited = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve([code, signal]))
  })
  const read = [child.stdout, child.stderr].map((stream) => stream && finished(stream).catch(() => undefined))
  const ended = Promise.all([exited, ...read]).then(([[code, signal]]) => ({ code, signal, stdout, stderr }))
  return {
    child,
    stdout: () => stdout,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stdout.includes(text)) resolve()
        }
        child.stdout?.on('data', look)
        child.once('exit', () =>
          reject(new Error(`The demo ended before it said ${text}: ${stdout}${stderr}`)),
        )
        look()
      }),
    ended,
  }
}
