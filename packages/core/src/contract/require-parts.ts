// What a call is given beside its options: from JavaScript, one thing may stand in the place of another.
import { invalidOption } from './options.js'
import type { Sandbox, SandboxProvider } from './sandbox.js'
import type { WorkspaceFiles } from './workspace-files.js'

/**
 * Refuses what is no open sandbox, such as a provider.
 *
 * @param owner - what the caller called, such as `runProgram()`
 * @throws MendloopError INVALID_OPTION
 */
export function requireSandbox(given: Partial<Sandbox> | undefined, owner: string): void {
  if (typeof given?.exec === 'function') return
  throw invalidOption(owner, 'sandbox', 'must be a sandbox', {
    expected: 'a sandbox',
    received: kindOf(given),
    hint: 'await provider.create() opens one',
  })
}

/**
 * Refuses what opens no sandboxes, such as the function that makes a provider.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function requireProvider(given: Partial<SandboxProvider> | undefined, owner: string): void {
  if (typeof given?.create === 'function') return
  throw invalidOption(owner, 'provider', 'must be a sandbox provider', {
    expected: 'a sandbox provider',
    received: kindOf(given),
    ...(typeof given === 'function' && { hint: 'a function was given; call it, as in subprocess()' }),
    ...(has(given, 'exec') && { hint: 'a sandbox was given; give the provider that opened it' }),
  })
}

/**
 * Refuses what is not the files of a sandbox, such as the sandbox itself.
 *
 * @throws MendloopError INVALID_OPTION
 */
export function requireFiles(given: Partial<WorkspaceFiles> | undefined, owner: string): void {
  if (typeof given?.read === 'function') return
  throw invalidOption(owner, 'files', 'must be the files of a sandbox', {
    expected: 'the files of a sandbox',
    received: kindOf(given),
    ...(has(given, 'files') && { hint: 'a sandbox was given; give its files, sandbox.files' }),
  })
}

const kindOf = (given: unknown): string => (given === null ? 'null' : typeof given)

const has = (given: unknown, member: string): boolean =>
  typeof given === 'object' && given !== null && member in given
