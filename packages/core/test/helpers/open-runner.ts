// Real fork runners for tests: opened in a temporary workspace, closed after the test, executions gathered.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ForkRunner, RunnerEnd, RunnerExecution, RunnerRequest } from '../../src/contract/fork-runner.js'
import type { RunnerSetup } from '../../src/guest/runner/runner-setup.js'
import { startRunner } from '../../src/guest/runner/start-runner.js'
import { type ProcessChannel, processChannel } from './process-channel.js'
import { onLinux, requires } from './requires.js'
import { isPresent } from './skips.js'

/** How an execution can be confined. */
export type Confinement = 'namespaces' | 'landlock' | 'plain'

/** A runner with its surroundings. */
export interface OpenRunner {
  readonly runner: ForkRunner
  readonly channel: ProcessChannel
  /** Shared workspace. */
  readonly workspace: string
  /** Closes it and removes its folders; done after the test anyway, unless `keep` was given. */
  close(): Promise<void>
  /** Starts something and gathers what it writes. */
  start(request: Partial<RunnerRequest>): Started
  /** Runs an argument list in the shared workspace, or a string by the shell. */
  exec(command: string | readonly string[], request?: Partial<RunnerRequest>): Promise<Done>
  /** Runs Python source as `main.py` of a fresh workspace. */
  python(source: string, request?: Partial<RunnerRequest>): Promise<Done>
}

/** An execution under way. */
export interface Started {
  readonly execution: RunnerExecution
  readonly done: Promise<Done>
  /** Resolves when it has written `text` to stdout; rejects when it has ended without. */
  said(text: string): Promise<void>
}

/** What an execution came to. */
export interface Done extends RunnerEnd {
  readonly stdout: string
  readonly stderr: string
  /** Text of the files that came back. */
  readonly texts: Readonly<Record<string, string>>
}

const MEBIBYTE = 1024 * 1024
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', HOME: '/tmp/home' }
const READ_ONLY = ['/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc/ld.so.cache', '/etc/alternatives']

/** Options of {@link openRunner}. */
export interface OpenRunnerOptions {
  readonly setup?: Partial<RunnerSetup>
  /** Words before the runner's own command, such as those of `setpriv`. */
  readonly launcher?: readonly string[]
  readonly python?: string
  /** Leaves it to the caller to close it. */
  readonly keep?: boolean
}

/** Opens a runner; it is closed and its folders are removed after the test. */
export async function openRunner(
  confinement: Confinement | 'auto',
  { setup = {}, launcher = [], python = interpreter(), keep = false }: OpenRunnerOptions = {},
): Promise<OpenRunner> {
  const root = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
  // Two folders deep: programs close what is above their workspace.
  const inner = join(root, 'inner')
  const workspace = join(inner, 'shared')
  const freshRoot = join(inner, 'fresh')
  const folders = [root, inner, workspace, freshRoot]
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
  }
  let channel: ProcessChannel | undefined
  let opened: ForkRunner | undefined
  const close = async (): Promise<void> => {
    await opened?.close()
    // As they were, from the top, for whoever is not root.
    for (const folder of folders) if (existsSync(folder)) chmodSync(folder, 0o777)
    // On a slow machine a supervisor is still removing its own: the runner waits for no more than two seconds.
    rmSync(root, { recursive: true, force: true, maxRetries: 20 })
  }
  // Before it is started, which may fail.
  if (!keep) onTestFinished(close)
  const runner = await startRunner(
    async ({ argv }) => {
      channel = processChannel([...launcher, ...argv])
      return channel
    },
    {
      confinement,
      workspace,
      freshRoot,
      readOnly: READ_ONLY,
      tmpBytes: 16 * MEBIBYTE,
      shmBytes: 4 * MEBIBYTE,
      ...setup,
    },
    { python },
  )
  opened = runner
  if (channel === undefined) throw new Error('The runner was started without a channel.')
  const start = (request: Partial<RunnerRequest>): Started => started(runner, request)
  return {
    runner,
    channel,
    workspace,
    close,
    start,
    exec: (command, request = {}) => start({ program: argvOf(command), ...request }).done,
    python: (source, request = {}) => start(pythonRequest(source, request)).done,
  }
}

let found: string | undefined

/** The interpreter itself: what is called python3 may be a script that looks for it, every time. */
function interpreter(): string {
  found ??= spawnSync('python3', ['-c', 'import sys; print(sys.executable)']).stdout.toString().trim()
  return found
}

/** A request for Python source as `main.py` of a fresh workspace. */
function pythonRequest(source: string, request: Partial<RunnerRequest> = {}): Partial<RunnerRequest> {
  return {
    program: { kind: 'python', entry: 'main.py', args: [] },
    workspace: 'fresh',
    ...request,
    files: { 'main.py': Buffer.from(source), ...request.files },
  }
}

const argvOf = (command: string | readonly string[]): RunnerRequest['program'] => ({
  kind: 'argv',
  argv: typeof command === 'string' ? ['/bin/sh', '-c', command] : command,
})

function started(runner: ForkRunner, request: Partial<RunnerRequest>): Started {
  const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  const text = (stream: 'stdout' | 'stderr'): string => Buffer.concat(written[stream]).toString('utf8')
  let look = (): void => undefined
  const execution = runner.start(
    {
      program: argvOf([]),
      env: ENVIRONMENT,
      cwd: '',
      workspace: 'shared',
      stdin: 'none',
      limits: {},
      ...request,
    },
    {
      onOutput(stream, data) {
        written[stream].push(Buffer.from(data))
        look()
      },
    },
  )
  const done = execution.ended.then((end) => {
    const files = end.files ?? []
    const texts = Object.fromEntries(
      files.map(({ path, content }) => [path, Buffer.from(content).toString()]),
    )
    return { ...end, stdout: text('stdout'), stderr: text('stderr'), texts }
  })
  const said = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (text('stdout').includes(wanted)) resolve()
      }
      void done.then(({ stdout, stderr }) =>
        reject(new Error(`It never said ${JSON.stringify(wanted)}: ${stdout}${stderr}`)),
      )
      look()
    })
  return { execution, done, said }
}

const answers = new Map<Confinement, Promise<boolean>>()

const NEEDS: Record<Confinement, string> = {
  plain: 'Python 3.8 or later',
  landlock: 'a kernel with Landlock switched on (Linux 6.12 for all of it)',
  namespaces:
    'user namespaces, which sysctl user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns rule',
}

/** Those of `wanted` that work on this machine. What does not is named once, and an error where everything must run. */
export async function confinementsHere(wanted: readonly Confinement[]): Promise<Confinement[]> {
  if (!requires('python3') || !onLinux('the fork runner')) return []
  const found: Confinement[] = []
  for (const one of wanted) {
    const answer = answers.get(one) ?? works(one)
    answers.set(one, answer)
    if (await answer) found.push(one)
  }
  return found
}

async function works(confinement: Confinement): Promise<boolean> {
  const workspace = mkdtempSync(join(tmpdir(), 'mendloop-test-'))
  const setup = { confinement, workspace, readOnly: READ_ONLY, tmpBytes: MEBIBYTE, shmBytes: MEBIBYTE }
  try {
    const runner = await startRunner(async ({ argv }) => processChannel(argv), setup)
    await runner.close()
    return true
  } catch (error) {
    const sentence = `tests of the fork runner in "${confinement}" cannot run here, it needs ${NEEDS[confinement]}: ${error}`
    return isPresent(false, sentence, error)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

/** Words that make one a user who is nobody else's, for what root is not held to; undefined, and told, where root cannot. */
export function ordinaryUser(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return []
  const words = ['setpriv', '--reuid', '2000065533', '--regid', '2000065533', '--clear-groups', '--']
  const [file = '', ...rest] = words
  const tried = spawnSync(file, [...rest, '/usr/bin/python3', '-c', 'pass'], { timeout: 20_000 })
  const sentence =
    'tests as an ordinary user cannot run here: they need setpriv, /usr/bin/python3 (apt-get install util-linux python3) and the right to become another user'
  return isPresent(tried.status === 0, sentence) ? words : undefined
}

/** True when `pid` is alive and no zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false
  }
}

/** Children of a process, in the order in which they were started. */
export function childrenOf(pid: number): number[] {
  const found = execFileSync('ps', ['-o', 'pid=', '--sort', 'start_time,pid', '--ppid', String(pid)], {
    encoding: 'utf8',
  })
  // Never 0, which a kill would take for all of its own group.
  return found
    .trim()
    .split(/\s+/)
    .map(Number)
    .filter((one) => one > 0)
}
