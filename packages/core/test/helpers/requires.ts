// What tests need of the machine, by name: a skip is visible, and an error where everything must run.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isOfKind, isPresent } from './skips.js'

const INSTALL = {
  python3: 'install Python 3.9 or later, for example with: apt-get install python3',
  git: 'install git, for example with: apt-get install git',
  bash: 'install bash, for example with: apt-get install bash',
  tar: 'install it, for example with: apt-get install tar',
  node: 'put the folder of Node on PATH',
  gcc: 'install it, for example with: apt-get install gcc libc6-dev',
  'g++': 'install it, for example with: apt-get install g++',
  javac: 'install a JDK, for example with: apt-get install default-jdk-headless',
  go: 'install Go, for example with: apt-get install golang-go',
  docker:
    'install the Docker Engine, for example with: apt-get install docker.io; start it: dockerd &; and let this user reach it',
  rustc: 'install Rust, for example with: apt-get install rustc',
} as const

/** Programs that answer another question than `--version`. */
const QUESTIONS: Partial<Record<keyof typeof INSTALL, readonly string[]>> = {
  go: ['version'],
  // Without the folder that it makes in /tmp.
  javac: ['-J-XX:-UsePerfData', '-version'],
  // The engine has to answer, not only its client.
  docker: ['info'],
}

/** Programs a test may need. */
export type RequiredTool = keyof typeof INSTALL

const answers = new Map<string, boolean>()

/** Asks once for a test file. */
function once(name: string, ask: () => boolean): boolean {
  const answer = answers.get(name) ?? ask()
  answers.set(name, answer)
  return answer
}

const runs = (file: string, args: readonly string[]): boolean =>
  spawnSync(file, args, { stdio: 'ignore', timeout: 60_000 }).status === 0

/**
 * Whether `tool` runs here, for `describe.runIf(requires('python3'))(…)` or `test.runIf(…)`.
 *
 * @throws Error instead of skipping when MENDLOOP_REQUIRE_ALL is 1, as in `.ci/run`
 */
export function requires(tool: RequiredTool): boolean {
  return isPresent(
    once(tool, () => runs(tool, QUESTIONS[tool] ?? ['--version'])),
    `tests that need ${tool} cannot run here: ${INSTALL[tool]}`,
  )
}

/** Whether Python here can import a module, also without the packages of the user's home when it is `isolated`. */
export function pythonHas(module: string, { isolated = false } = {}): boolean {
  const args = [...(isolated ? ['-I'] : []), '-c', `import ${module}`]
  return isPresent(
    once(args.join(' '), () => runs('python3', args)),
    `tests that need Python's ${module} cannot run here: python3 -m pip install ${module === 'PIL' ? 'pillow' : module}`,
  )
}

/** Whether Python here is at least 3.`minor`; a newer one may have to be had from elsewhere than this system's packages. */
export function pythonIsAtLeast(minor: number): boolean {
  const program = `import sys; sys.exit(sys.version_info < (3, ${minor}))`
  return isOfKind(
    once(program, () => runs('python3', ['-c', program])),
    `tests of what Python has since 3.${minor} cannot run here: python3 is older`,
  )
}

/** Whether a file of the system is here. */
export function hasFile(path: string, install: string): boolean {
  return isPresent(existsSync(path), `tests that read ${path} cannot run here: apt-get install ${install}`)
}

/** Whether this is Linux, for tests of what only Linux can show. */
export function onLinux(what: string): boolean {
  return isOfKind(
    process.platform === 'linux',
    `tests of ${what} need Linux, and this is ${process.platform}`,
  )
}

/** Whether this is not Windows, for tests of what only other systems have. */
export function onPosix(what: string): boolean {
  return isOfKind(process.platform !== 'win32', `tests of ${what} need another system than Windows`)
}

/** Whether this process is root, for tests of what only root can do. */
export function isRoot(what: string): boolean {
  return isOfKind(process.geteuid?.() === 0, `tests of ${what} need root, and this is another user`)
}
