// A sandbox with parts taken away or put in the place of others; for tests only.
import type { Sandbox } from '../../src/contract/sandbox.js'

/** The same sandbox without what a warm interpreter needs, and with `parts` in the place of its own. */
export function withoutSpawn(sandbox: Sandbox, parts: Partial<Sandbox> = {}): Sandbox {
  const { id, workdir, guarantees, files, limits } = sandbox
  return {
    ...{ id, workdir, guarantees, files },
    ...(limits && { limits }),
    exec: (command, options) => sandbox.exec(command, options),
    close: () => sandbox.close(),
    [Symbol.asyncDispose]: () => sandbox.close(),
    ...parts,
  }
}
