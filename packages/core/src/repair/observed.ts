// A sandbox as whoever judges a program sees it.
import type { Limits, Sandbox } from '../contract/sandbox.js'

/** With its executions done by `exec`, which tells of them and charges them. */
export function observed(sandbox: Sandbox, limits: Limits, exec: Sandbox['exec']): Sandbox {
  const { id, workdir, guarantees, environment } = sandbox
  return {
    id,
    workdir,
    guarantees,
    limits,
    ...(environment && { environment }),
    exec,
    files: sandbox.files,
    close: () => sandbox.close(),
    [Symbol.asyncDispose]: () => sandbox.close(),
  }
}
