// Where the static tools of this machine are, and sandboxes that find them.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { Sandbox } from '../../../src/contract/sandbox.js'
import type { StaticReport } from '../../../src/verify/static/static-checks.js'
import { isPresent } from '../../helpers/skips.js'

const USUAL = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', dirname(process.execPath)]

/** The folder of a tool that runs without anything of the user's; undefined where there is none. */
function folderOf(tool: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isThere(join(folder, tool)))
  return folders.find((folder) => {
    const env = { PATH: [folder, ...USUAL].join(delimiter) }
    return (
      spawnSync(join(folder, tool), ['--version'], { env, stdio: 'ignore', timeout: 60_000 }).status === 0
    )
  })
}

function isThere(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const INSTALL = {
  ruff: 'python3 -m pip install ruff',
  mypy: 'python3 -m pip install mypy, or apt-get install mypy',
} as const

const folders = Object.fromEntries(Object.keys(INSTALL).map((tool) => [tool, folderOf(tool)]))

/** Whether a tool is on PATH here; if not, the tests that need it are skipped by name. */
export const hasTool = (tool: keyof typeof INSTALL): boolean =>
  isPresent(
    folders[tool] !== undefined,
    `tests that need ${tool} in the sandbox cannot run here: ${INSTALL[tool]}, with its folder on PATH`,
  )

/** The TypeScript of this repository. */
export const TSC_FOLDER = fileURLToPath(new URL('../../../../../node_modules/.bin', import.meta.url))

/** A sandbox whose programs find only these tools besides those of the system. */
export async function sandboxWith(
  ...tools: readonly (keyof typeof INSTALL | { folder: string })[]
): Promise<Sandbox> {
  const own = tools.map((tool) => (typeof tool === 'string' ? folders[tool] : tool.folder))
  return await subprocess({
    isolation: 'process',
    minimum: 'process',
    limits: { wallMs: 20_000 },
    env: { PATH: [...own.filter((one) => one !== undefined), ...USUAL].join(delimiter) },
  }).create()
}

/** Findings in short: rule, place. */
export const short = (findings: StaticReport['findings']): string[] =>
  findings.map(({ rule, path, line, column }) => `${rule} ${path}:${line}:${column}`)

/** How each tool's turn ended. */
export const turns = ({ tools }: StaticReport): string[] =>
  tools.map(({ tool, where, status }) => `${tool} ${where} ${status}`)

/** A Python program of one file. */
export const py = (text: string) => ({ entry: 'solution.py', files: { 'solution.py': text } })
