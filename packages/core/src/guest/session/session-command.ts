// The commands that start a session's control process; its programs and options go in on standard input.
import type { CommandObject } from '../../contract/sandbox.js'
import { frame } from '../frames.js'
import { guestPrograms } from './programs.generated.js'
import type { SessionLanguage } from './session.js'

/** What the programs are told. */
export interface GuestOptions {
  /** Absolute path of the workspace, as programs see it. */
  readonly workspace: string
  /** Names of the functions that cells may call, or null for no `host` at all. */
  readonly hostNames: readonly string[] | null
  /** Tell values of variables with exceptions. */
  readonly locals: boolean
}

/** How to start the control process of a language, and the first thing that it reads. */
export function sessionCommand(
  language: SessionLanguage,
  options: GuestOptions,
): { command: CommandObject; setup: Uint8Array } {
  const { bootstrap, node_bootstrap: nodeBootstrap } = guestPrograms
  const isOwn = (name: string): boolean => name.startsWith('node_') === (language === 'javascript')
  const own = Object.fromEntries(Object.entries(guestPrograms).filter(([name]) => isOwn(name)))
  const argv = {
    // -I: the workspace is not searched for the session's own imports; -B: nothing is written beside the sources.
    python: ['python3', '-I', '-B', '-c', bootstrap],
    javascript: ['node', '--no-warnings', '-e', nodeBootstrap],
  }[language]
  return { command: { argv }, setup: frame({ programs: own, options }) }
}
