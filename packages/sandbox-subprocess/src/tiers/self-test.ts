// Finds out what a tier really enforces here, by trying it in an engine of that tier.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { DEFAULT_LIMITS, type Guarantees, MendloopError, type Outcome } from '@mendloop/core'
import { z } from '@mendloop/core/adapter'
import type { Engine } from '../engine.js'
import { createRoot, removeRoot } from '../private-folder.js'
import { errorCode } from '../system-error.js'
import { LEFTOVER_PIPE, SELF_TEST_PROGRAM, type SelfTestQuestion } from './self-test-program.js'
import { socketFolderFor } from './temporary-folder.js'

/** More than the program itself needs; each costs the first sandbox of a process some milliseconds. */
const PROCESSES = 8
/** Where others of this user count as well, who come and go: more than they will be in a moment. */
const PROCESSES_AMONG_OTHERS = 40
/** As the program has it. */
const FORKS_TRIED_BEYOND = 8
const DEADLINE_MS = 10_000
/** As long as what is put behind the path of a temporary folder: the name of the test's own, and that of its socket. */
const SOCKET_PLACE = `/mendloop-${'0'.repeat(18)}/socket`

const answerSchema = z.strictObject({
  connect: z.boolean(),
  connectByName: z.boolean(),
  read: z.boolean(),
  kill: z.boolean(),
  environment: z.boolean(),
  forks: z.int(),
  leftover: z.boolean(),
})

/**
 * @param engine - opened without a network; closed by the caller
 * @returns what it guarantees, property by property: what did not hold is as weak as it was found
 * @throws Error when the program could not be run at all
 */
export async function selfTest(engine: Engine): Promise<Guarantees> {
  const { owner } = engine.folder
  const root = createRoot(socketFolderFor(owner, SOCKET_PLACE), 0o755)
  const opened: (() => void)[] = []
  try {
    const filePath = join(root, 'canary')
    writeFileSync(filePath, 'canary', { mode: 0o644 })
    const byPort = await listen((server, done) => server.listen(0, '127.0.0.1', done))
    opened.push(byPort.close)
    const socketPath = join(root, 'socket')
    const byName = await listen((server, done) => server.listen(socketPath, done))
    opened.push(byName.close)
    chmodSync(socketPath, 0o777)
    const secret = randomBytes(16).toString('hex')
    const canary = startCanary(secret, owner)
    opened.push(() => canary.kill('SIGKILL'))
    const question: SelfTestQuestion = {
      port: byPort.port,
      socketPath,
      filePath,
      canaryPid: canary.pid ?? 0,
      secret,
      processes: mostProcesses(engine.guarantees),
    }
    const answer = await ask(engine, question)
    const canaryLives = canary.pid !== undefined && canary.exitCode === null && canary.signalCode === null
    const { guarantees } = engine
    return {
      ...guarantees,
      ...(!(answer.connect && answer.connectByName) && { network: 'host' }),
      ...(!answer.read && { files: 'same-user' }),
      ...(!(answer.kill && answer.environment && canaryLives) && { processes: 'none' }),
      ...(!(answer.leftover && isNobodyAt(join(engine.folder.workspace, LEFTOVER_PIPE))) && {
        descendants: 'best-effort',
      }),
      ...(answer.forks >= mostForks(guarantees) && { pids: 'none' }),
    }
  } finally {
    for (const close of opened) close()
    await removeRoot(root)
  }
}

const mostProcesses = ({ pids }: Guarantees): number =>
  pids === 'per-user' ? PROCESSES_AMONG_OTHERS : PROCESSES

/** Among others, of whom some end meanwhile, only a program that got all it tried was not bounded. */
const mostForks = (guarantees: Guarantees): number =>
  mostProcesses(guarantees) + (guarantees.pids === 'per-user' ? FORKS_TRIED_BEYOND : 0)

async function ask(engine: Engine, question: SelfTestQuestion): Promise<z.infer<typeof answerSchema>> {
  const unready = await engine.prepare()
  if (unready !== undefined) throw new Error(`a program ${unready}`)
  const said = { stdout: '', stderr: '' }
  const running = engine.start({
    program: {
      argv: [engine.python ?? 'python3', '-I', '-S', '-B', '-c', SELF_TEST_PROGRAM, JSON.stringify(question)],
      cwd: '',
      dispose: () => undefined,
    },
    owner: 'subprocess()',
    env: { PATH: '/usr/bin:/bin' },
    limits: { ...DEFAULT_LIMITS, wallMs: DEADLINE_MS, processes: question.processes },
    stdin: 'ignore',
    killGraceMs: 0,
    onOutput: (stream, data) => {
      said[stream] = (said[stream] + data.toString('utf8')).slice(-4_000)
    },
  })
  const { outcome } = await running.ended
  try {
    return answerSchema.parse(JSON.parse(said.stdout))
  } catch (cause) {
    throw new Error(`its self-test gave no answer (${describe(outcome)}): ${complaintIn(said.stderr)}`, {
      cause,
    })
  }
}

/** What is below a traceback says it all. */
const complaintIn = (stderr: string): string => (stderr.trim().split('\n').at(-1) ?? '').slice(-500)

const describe = (outcome: Outcome): string =>
  outcome.kind === 'lost' ? outcome.cause : JSON.stringify(outcome)

async function listen(
  start: (server: Server, done: () => void) => void,
): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    start(server, resolve)
  })
  const address = server.address() as AddressInfo | string | null
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => server.close(),
  }
}

/** A process of the programs' user that waits for its input to end. */
function startCanary(secret: string, owner: { uid: number; gid: number } | undefined): ChildProcess {
  const canary = spawn('/bin/sh', ['-c', 'read -r _'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', MENDLOOP_CANARY: secret },
    stdio: ['pipe', 'ignore', 'ignore'],
    ...owner,
  })
  canary.on('error', () => undefined)
  canary.stdin?.on('error', () => undefined)
  return canary
}

/** True when no process has the pipe open for reading. */
function isNobodyAt(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW))
    return false
  } catch (error) {
    if (MendloopError.is(error)) throw error
    return errorCode(error) === 'ENXIO'
  }
}
