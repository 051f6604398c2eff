// Measures what an environment offers, once for each environment.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { MendloopError } from '../../contract/errors.js'
import type { ExecutionResult } from '../../contract/execution.js'
import { abortSignalSchema } from '../../contract/foreign-values.js'
import { parseOptions } from '../../contract/options.js'
import { requireSandbox } from '../../contract/require-parts.js'
import type { Sandbox } from '../../contract/sandbox.js'
import { limitsInEffect } from '../../sandbox/limits-in-effect.js'
import { INVENTORY_EXECUTABLES, type Inventory, measuredSchema, toInventory } from './inventory-facts.js'
import { guestPrograms } from './programs.generated.js'
import { readShellInventory, SHELL_INVENTORY } from './shell-inventory.js'

/** How an inventory is taken. */
export interface InventoryOptions {
  /**
   * Names the environment, such as the provider's id with its image: sandboxes of one name and with the same guarantees
   * share one measurement. Default: each sandbox is measured for itself, once.
   */
  readonly environment?: string
  /** Aborting ends the waiting. */
  readonly signal?: AbortSignal
}

const optionsSchema: z.ZodType<InventoryOptions> = z.strictObject({
  environment: z.string().min(1).optional(),
  signal: abortSignalSchema.optional(),
})

/** Programs of version managers are slow, and there may be a dozen. */
const MEASURE_MS = 60_000
const OUTPUT_BYTES = 8 * 1024 * 1024

const byEnvironment = new Map<string, Promise<Inventory>>()
const bySandbox = new WeakMap<Sandbox, Promise<Inventory>>()

/**
 * What programs find in a sandbox: languages, packages, executables, processors, memory, limits, network. Measured
 * inside it by a program of ours (in Python; where there is none, by the shell), which sends nothing anywhere.
 *
 * @throws MendloopError INVALID_OPTION; ABORTED; SANDBOX_CLOSED; SANDBOX_UNAVAILABLE when not even a shell runs there
 */
export async function inventory(sandbox: Sandbox, options: InventoryOptions = {}): Promise<Inventory> {
  requireSandbox(sandbox, 'inventory()')
  const { environment, signal } = parseOptions(optionsSchema, options, 'inventory()')
  if (environment === undefined) return await remembered(bySandbox, sandbox, sandbox, signal)
  return await remembered(byEnvironment, JSON.stringify([environment, sandbox.guarantees]), sandbox, signal)
}

/** Forgets what was measured for named environments, for example after something was installed. */
export function clearInventories(): void {
  byEnvironment.clear()
}

interface Memory<Key> {
  get(key: Key): Promise<Inventory> | undefined
  set(key: Key, value: Promise<Inventory>): unknown
  delete(key: Key): boolean
}

async function remembered<Key>(
  memory: Memory<Key>,
  key: Key,
  sandbox: Sandbox,
  signal: AbortSignal | undefined,
): Promise<Inventory> {
  const known = memory.get(key)
  if (known !== undefined) {
    try {
      return await unlessAborted(known, signal)
    } catch (error) {
      // It was measured in another sandbox, and that one's end is no fault of this one.
      if (signal?.aborted || memory.get(key) === known) throw error
      return await remembered(memory, key, sandbox, signal)
    }
  }
  const measured = measure(sandbox)
  memory.set(key, measured)
  measured.catch(() => memory.get(key) === measured && memory.delete(key))
  return await unlessAborted(measured, signal)
}

/** The one who stops waiting does not stop it for the others. */
function unlessAborted(measured: Promise<Inventory>, signal: AbortSignal | undefined): Promise<Inventory> {
  if (signal === undefined) return measured
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(
        new MendloopError('ABORTED', 'inventory() was aborted by its signal.', {
          details: { during: 'sandbox' },
          cause: signal.reason,
        }),
      )
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    measured.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

async function measure(sandbox: Sandbox): Promise<Inventory> {
  const { bootstrap, installed, executables, machine, inventory: main } = guestPrograms
  const word = randomUUID()
  const limits = { wallMs: MEASURE_MS, outputBytes: OUTPUT_BYTES }
  const tried = await attempt(() =>
    sandbox.exec(
      {
        argv: ['python3', '-I', '-B', '-c', bootstrap, word, ...INVENTORY_EXECUTABLES],
        stdin: JSON.stringify({ installed, executables, machine, inventory: main }),
      },
      { limits },
    ),
  )
  const measured = tried === undefined ? undefined : readMeasured(tried.stdout.text, word)
  if (measured !== undefined) return toInventory(withOwnLimits(measured, sandbox))
  const shell = await sandbox.exec(
    ['/bin/sh', '-c', SHELL_INVENTORY, 'inventory', ...INVENTORY_EXECUTABLES],
    { limits },
  )
  if (!shell.ok) throw cannotMeasure(sandbox, shell, tried)
  return toInventory(withOwnLimits(readShellInventory(shell.stdout.text), sandbox))
}

/**
 * The kernel is told more processes than a program may have: those of others that count with its own. Where they are
 * bounded for it, the sandbox's own word is the right one.
 */
function withOwnLimits(measured: Omit<Inventory, 'node'>, sandbox: Sandbox): Omit<Inventory, 'node'> {
  if (sandbox.guarantees.pids === 'none') return measured
  const { processes } = limitsInEffect(sandbox)
  const least = Math.min(processes, measured.limits.processes ?? processes)
  return { ...measured, limits: { ...measured.limits, processes: least } }
}

/** A provider may refuse to start an interpreter that is not there; what else it throws is thrown. */
async function attempt(run: () => Promise<ExecutionResult>): Promise<ExecutionResult | undefined> {
  try {
    return await run()
  } catch (error) {
    if (MendloopError.is(error, 'SANDBOX_UNAVAILABLE')) return undefined
    throw error
  }
}

function readMeasured(output: string, word: string): Omit<Inventory, 'node'> | undefined {
  const line = output.split('\n').find((one) => one.startsWith(word))
  if (line === undefined) return undefined
  try {
    return measuredSchema.safeParse(JSON.parse(line.slice(word.length))).data
  } catch {
    return undefined
  }
}

function cannotMeasure(
  sandbox: Sandbox,
  shell: ExecutionResult,
  python: ExecutionResult | undefined,
): MendloopError<'SANDBOX_UNAVAILABLE'> {
  const said = (result: ExecutionResult | undefined): string =>
    result === undefined
      ? 'there is none'
      : `${JSON.stringify(result.outcome)} ${result.stderr.text.trim().slice(-200)}`.trim()
  const reason = `Python: ${said(python)}; shell: ${said(shell)}`
  return new MendloopError(
    'SANDBOX_UNAVAILABLE',
    `inventory() could run neither Python nor a shell in the sandbox (${reason}). Look at what its image or machine holds.`,
    { details: { sandbox: sandbox.id, reason } },
  )
}
