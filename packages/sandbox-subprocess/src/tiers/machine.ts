// What this process may do on this machine: its user, its capabilities, the tools that build walls.
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Numbers of capabilities (capabilities(7), linux/capability.h). */
const CAPABILITIES = { chown: 0, setgid: 6, setuid: 7, setpcap: 8, sysAdmin: 21 } as const

/** A capability that some wall needs. */
export type Capability = keyof typeof CAPABILITIES

/** True when this process has every one of them; on other systems than Linux never. */
export function hasCapabilities(...needed: readonly Capability[]): boolean {
  const mask = effectiveCapabilities()
  return needed.every((name) => (mask >> BigInt(CAPABILITIES[name])) & 1n)
}

let effective: bigint | undefined

function effectiveCapabilities(): bigint {
  effective ??= readCapabilities()
  return effective
}

function readCapabilities(): bigint {
  try {
    const found = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    return found === undefined ? 0n : BigInt(`0x${found}`)
  } catch {
    return 0n
  }
}

/** True for the user whose rights no file mode bounds. */
export const isRoot = (): boolean => process.geteuid?.() === 0

/** Where the tools of the system are, also when PATH does not say so. */
const TOOL_FOLDERS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin']

/** Absolute path of an executable file on PATH or where the system's tools are, or undefined. */
export function findTool(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...TOOL_FOLDERS]
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

/** True for an executable regular file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
