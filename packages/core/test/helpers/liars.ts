// Sandboxes that are good but for one promise, and the test that the kit catches each by the case named for it.
import { expect, test } from 'vitest'
import { subprocess } from '../../../sandbox-subprocess/src/index.js'
import type { ExecutionResult } from '../../src/contract/execution.js'
import type {
  Command,
  CommandObject,
  ExecOptions,
  Sandbox,
  SandboxOptions,
  SandboxProvider,
} from '../../src/contract/sandbox.js'
import type { WorkspaceFiles } from '../../src/contract/workspace-files.js'
import { allCases } from '../../src/testing/conformance/all-cases.js'
import { runSandboxConformance } from '../../src/testing/conformance/run-sandbox-conformance.js'
import { canaryHost } from './canary-host.js'

/** What of a good sandbox is replaced. */
export type Lie = (sandbox: Sandbox, options: SandboxOptions) => Partial<Sandbox>

/** A sandbox that breaks one promise. */
export interface Liar {
  /** What it does wrong, as the subject of a sentence. */
  readonly who: string
  /** Name of the case that must catch it. */
  readonly caughtBy: string
  /** Further cases of the same group that cannot but fail as well. */
  readonly also?: readonly string[]
  /** Probe the one case only: the rest of its group is slow, or breaks with it. */
  readonly alone?: boolean
  readonly lie?: Lie
  /** For lies that are told before a sandbox is open. */
  readonly provider?: SandboxProvider
}

const honest = (): SandboxProvider => subprocess({ isolation: 'process', minimum: 'process' })

/** A provider whose sandboxes lie. */
const lying = (lie: Lie): SandboxProvider =>
  wrapProvider(async (options = {}) => {
    const sandbox = await honest().create(options)
    return { ...plainly(sandbox), ...lie(sandbox, options) }
  })

/** A provider with a `create` of one's own. */
export const wrapProvider = (create: SandboxProvider['create']): SandboxProvider => ({
  id: 'liar',
  specVersion: 'sandbox-v1',
  create,
})

/** The provider that liars are made of. */
export const honestProvider = honest()

/** A sandbox as a plain object, so that members can be replaced. */
export function plainly(sandbox: Sandbox): Sandbox {
  const close = (): Promise<void> => sandbox.close()
  return {
    id: sandbox.id,
    workdir: sandbox.workdir,
    guarantees: sandbox.guarantees,
    exec: (command, options) => sandbox.exec(command, options),
    ...(sandbox.spawn && { spawn: sandbox.spawn.bind(sandbox) }),
    files: sandbox.files,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A lie about results. */
export const aboutResults =
  (change: (result: ExecutionResult) => ExecutionResult): Lie =>
  (sandbox) => ({ exec: async (command, options) => change(await sandbox.exec(command, options)) })

/** A lie about what is run. */
export const aboutCommands =
  (change: (command: CommandObject | string) => Command): Lie =>
  (sandbox) => ({
    exec: (command, options) => sandbox.exec(change(isList(command) ? { argv: command } : command), options),
  })

const isList = (command: Command): command is readonly string[] => Array.isArray(command)

/** A lie about how it is run. */
export const aboutOptions =
  (change: (options: ExecOptions) => ExecOptions): Lie =>
  (sandbox) => ({ exec: (command, options = {}) => sandbox.exec(command, change(options)) })

/** A lie about files. */
export const aboutFiles =
  (change: (files: WorkspaceFiles, sandbox: Sandbox) => Partial<WorkspaceFiles>): Lie =>
  (sandbox) => ({ files: { ...sandbox.files, ...change(sandbox.files, sandbox) } })

/** How liars are caught. */
interface Catching {
  /** Cases of the group that are probed only for the liars that they are to catch. */
  readonly slow?: readonly string[]
  /** Several at once: most of the time is waiting. Not for cases that look at this process as a whole. */
  readonly atOnce?: boolean
}

/** Defines a test for each liar, which is probed with its whole group: only the promises it breaks may catch it. */
export function catchLiars(
  group: string,
  liars: readonly Liar[],
  { slow = [], atOnce = false }: Catching = {},
): void {
  const quick = allCases
    .filter((one) => one.group === group && !slow.includes(one.name))
    .map(({ name }) => name)
  const define = atOnce ? test.concurrent : test
  for (const { who, caughtBy, also = [], alone, lie, provider } of liars)
    define(
      `a sandbox that ${who} is caught by "${caughtBy}"`,
      async () => {
        const report = await runSandboxConformance(provider ?? lying(lie ?? (() => ({}))), {
          only: alone === true ? [caughtBy] : [caughtBy, ...also, ...quick],
          host: canaryHost,
          deadlineMs: 12_000,
          overrunMs: 3_000,
          floodBytes: 16 * 1024 * 1024,
        })
        const failed = report.results.filter(({ status }) => status === 'failed')
        expect(
          failed.map(({ name }) => name).sort(),
          failed.map(({ name, reason }) => `${name}: ${reason}`).join('\n'),
        ).toEqual([caughtBy, ...also].sort())
      },
      90_000,
    )
}
