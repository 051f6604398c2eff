// Whether a child process keeps this one alive; at first it does.
import type { ChildProcess } from 'node:child_process'

/** Refs or unrefs the process with its pipes. */
export function keepAlive(child: ChildProcess, kept: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    // Pipes are sockets in Node; their type does not say so.
    const act: unknown = handle === null ? undefined : Reflect.get(handle, kept ? 'ref' : 'unref')
    if (typeof act === 'function') Reflect.apply(act, handle, [])
  }
}
