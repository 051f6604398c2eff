// Files by which a program could configure the runner that is to judge it: out of the way during a run, and back after it.
import { MendloopError } from '../contract/errors.js'
import type { Sandbox } from '../contract/sandbox.js'

/** Files that runners and interpreters read without being told. Those that programs need too are kept out by flags instead. */
const CONFIGURATION =
  /(?:^|\/)(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.ini|(?:site|user)customize\.py|[^/]+\.pth|\.npmrc|\.noderc|node\.config\.json|postcss\.config\.[a-z]+|\.postcssrc(?:\.[a-z]+)?|(?:vite|vitest)\.(?:config|workspace|projects)\.[a-z]+|pyvenv\.cfg)$/u
const DEPENDENCIES = /(?:^|\/)node_modules\//u

/** Puts back what was taken out of the way. */
export type PutBack = () => Promise<void>

/**
 * Removes the configuration that is in the workspace and not among `handedIn`.
 *
 * @returns puts it back: to other checks it may be a part of the program
 */
export async function withoutForeignConfiguration(
  { files }: Sandbox,
  handedIn: Readonly<Record<string, unknown>>,
): Promise<PutBack> {
  const removed: Record<string, Uint8Array> = {}
  for (const { path } of await files.list()) {
    if (!CONFIGURATION.test(path) || DEPENDENCIES.test(path) || Object.hasOwn(handedIn, path)) continue
    removed[path] = await files.read(path)
    await files.remove(path)
  }
  return async () => {
    try {
      await files.write(removed)
    } catch (error) {
      // The program put something else there; the next check finds that as it is.
      if (!MendloopError.is(error, 'PATH_REFUSED')) throw error
    }
  }
}
