// Tests that need a program of the machine say so by name; a skip is visible, and an error where everything must run.
import { spawnSync } from 'node:child_process'

const INSTALL = {
  python3: 'install Python 3.9 or later, for example with: apt-get install python3',
  git: 'install git, for example with: apt-get install git',
  bash: 'install bash, for example with: apt-get install bash',
  node: 'put the folder of Node on PATH',
  gcc: 'install it, for example with: apt-get install gcc',
  'g++': 'install it, for example with: apt-get install g++',
  javac: 'install a JDK, for example with: apt-get install default-jdk-headless',
  go: 'install Go, for example with: apt-get install golang-go',
  docker: 'install the Docker Engine, for example with: apt-get install docker.io; and start it: dockerd &',
  rustc: 'install Rust, for example with: apt-get install rustc',
} as const

/** Programs that answer another question than `--version`. */
const QUESTIONS: Partial<Record<keyof typeof INSTALL, readonly string[]>> = {
  go: ['version'],
  // The engine has to answer, not only its client.
  docker: ['info'],
}

/** Programs a test may need. */
export type RequiredTool = keyof typeof INSTALL

const answers = new Map<RequiredTool, boolean>()

/**
 * Whether `tool` runs here, for `describe.runIf(requires('python3'))(…)` or `test.runIf(…)`.
 *
 * When it does not, the skip and its remedy are printed once per test file.
 *
 * @throws Error instead of skipping when MENDLOOP_REQUIRE_ALL is 1, as in `.ci/run`
 */
export function requires(tool: RequiredTool): boolean {
  const known = answers.get(tool)
  if (known !== undefined) return known
  const present =
    spawnSync(tool, QUESTIONS[tool] ?? ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0
  if (!present) {
    const sentence = `tests that need ${tool} cannot run here: ${INSTALL[tool]}`
    if (process.env['MENDLOOP_REQUIRE_ALL'] === '1') throw new Error(sentence)
    process.stderr.write(`skipped: ${sentence}\n`)
  }
  answers.set(tool, present)
  return present
}

const told = new Set<string>()

/**
 * Whether this is Linux, for tests of what only Linux can show. Elsewhere the skip is printed once; nothing could be installed
 * to change it, so it is never an error.
 */
export function onLinux(what: string): boolean {
  if (process.platform === 'linux') return true
  if (!told.has(what))
    process.stderr.write(`skipped: tests of ${what} need Linux, and this is ${process.platform}\n`)
  told.add(what)
  return false
}
