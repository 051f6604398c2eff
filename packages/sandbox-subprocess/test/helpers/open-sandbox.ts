// Sandboxes that are closed after the test, and fixtures that are run in them.
import { readFile } from 'node:fs/promises'
import type { CommandObject, ExecOptions, ExecutionResult, Sandbox, SandboxOptions } from '@mendloop/core'
import { onTestFinished } from 'vitest'
import { type SubprocessOptions, subprocess } from '../../src/index.js'

/** Opens a sandbox of the process tier and closes it after the test. */
export async function openSandbox(
  options: Omit<SubprocessOptions, 'minimum'> = {},
  sandboxOptions?: SandboxOptions,
): Promise<Sandbox> {
  const sandbox = await subprocess({ ...options, isolation: 'process', minimum: 'process' }).create(
    sandboxOptions,
  )
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** Puts a Python program from `fixtures/` into the sandbox and runs it. */
export async function runFixture(
  sandbox: Sandbox,
  name: string,
  options: ExecOptions = {},
  extra: Partial<CommandObject> & { args?: readonly string[] } = {},
): Promise<ExecutionResult> {
  const { args = [], ...rest } = extra
  await sandbox.files.write({ [name]: await readFile(new URL(`../fixtures/${name}`, import.meta.url)) })
  return sandbox.exec({ argv: ['python3', name, ...args], ...rest }, options)
}
