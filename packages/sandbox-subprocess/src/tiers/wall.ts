// What a tier builds for one sandbox before the first program: its folder, and the outer walls that a runner starts in.
import type { Guarantees } from '@mendloop/core'
import type { RunnerSetup } from '@mendloop/core/adapter'
import type { PrivateFolder } from '../private-folder.js'
import type { Installations } from './installations.js'
import type { RunnerLaunch } from './runner-channel.js'

/** What every wall is built from. */
export interface WallPlan {
  readonly installations: Installations
  /** The machine's network stays reachable. */
  readonly sharesNetwork: boolean
  /** Size of the workspace, in bytes, where it can be bounded. */
  readonly diskBytes: number
}

/** Outer walls that stand. */
export interface Wall {
  readonly folder: PrivateFolder
  /** Interpreters and folders of programs behind it. */
  readonly installations: Installations
  /** What it enforces when all that it is built from does what it says. */
  readonly guarantees: Guarantees
  /** How many descriptors `launch` hands over. */
  readonly descriptors: number
  /** What the runner is told. */
  readonly setup: RunnerSetup
  /** How `argv` is started behind it; asked for each runner anew. */
  launch(argv: readonly string[]): RunnerLaunch & { close(): void }
  /** Variables by which processes are found that nobody else would end. */
  readonly markers: Readonly<Record<string, string>>
  /** Ends what a runner that was lost has left. Never rejects. @returns false when something is still there */
  sweep(): Promise<boolean>
  /** Takes the walls down and removes the folder; every process is gone by then. */
  close(): Promise<void>
}

/** Room for `/dev/shm` of one execution, in bytes; `/tmp` has as much as the workspace. */
export const SHM_BYTES = 16 * 1024 * 1024
