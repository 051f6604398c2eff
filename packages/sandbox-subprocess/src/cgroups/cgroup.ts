// One control group: its limits, and what the kernel counted in it. The two versions differ in names only.
import { mkdirSync, openSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Control, type Hierarchy, readQuietly } from './hierarchy.js'

/** How often the kernel acted at a limit. */
export interface CgroupCounts {
  /** Processes that it ended for want of memory. */
  readonly oomKills: number
  /** Processes and threads that it refused. */
  readonly refusedForks: number
}

/** A group of one hierarchy. */
export class Cgroup {
  readonly folder: string
  readonly #version: 1 | 2
  readonly #controls: readonly Control[]
  #memoryBytes = 0
  #processes = 0

  constructor(hierarchy: Hierarchy, name: string) {
    this.folder = join(hierarchy.folder, name)
    this.#version = hierarchy.version
    this.#controls = hierarchy.controls
    mkdirSync(this.folder)
  }

  /** Opens the file that takes a process in which writes `0` to it. */
  openEntrance(): number {
    return openSync(join(this.folder, 'cgroup.procs'), 'w')
  }

  /** Version 2: groups below it have the controls that it has. @throws Error when the kernel does not take it */
  passOn(): void {
    const controls = this.#controls.map((control) => `+${control}`).join(' ')
    writeFileSync(join(this.folder, 'cgroup.subtree_control'), controls)
  }

  /** @throws Error when the kernel does not take them */
  limit({ memoryBytes, processes }: { memoryBytes: number; processes: number }): void {
    if (this.#controls.includes('memory')) this.#limitMemory(memoryBytes + this.#leftBytes())
    if (this.#controls.includes('pids') && processes !== this.#processes) {
      this.#write('pids.max', processes)
      this.#processes = processes
    }
  }

  counts(): CgroupCounts {
    const [memoryFile, killed] =
      this.#version === 1 ? ['memory.oom_control', 'oom_kill'] : ['memory.events', 'oom_kill']
    return {
      oomKills: this.#controls.includes('memory') ? this.#count(memoryFile, killed) : 0,
      refusedForks: this.#controls.includes('pids') ? this.#count('pids.events', 'max') : 0,
    }
  }

  /** Removes it. @returns false while something is in it */
  remove(): boolean {
    try {
      rmdirSync(this.folder)
      return true
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ENOENT'
    }
  }

  /** Files in memory that executions before have left are charged here for as long as they exist. */
  #leftBytes(): number {
    const file = this.#version === 1 ? 'memory.usage_in_bytes' : 'memory.current'
    return Number(readQuietly(join(this.folder, file))) || 0
  }

  #limitMemory(bytes: number): void {
    if (bytes === this.#memoryBytes) return
    if (this.#version === 2) {
      this.#write('memory.max', bytes)
      this.#writeIfThere('memory.swap.max', 0)
      // All of an execution ends, not the one process that the kernel finds largest.
      this.#writeIfThere('memory.oom.group', 1)
    } else if (bytes > this.#memoryBytes) {
      // With swap counted is never less than without.
      this.#writeIfThere('memory.memsw.limit_in_bytes', bytes)
      this.#write('memory.limit_in_bytes', bytes)
      this.#writeIfThere('memory.memsw.limit_in_bytes', bytes)
    } else {
      this.#write('memory.limit_in_bytes', bytes)
      this.#writeIfThere('memory.memsw.limit_in_bytes', bytes)
    }
    this.#memoryBytes = bytes
  }

  #count(file: string, name: string): number {
    const line = readQuietly(join(this.folder, file))
      .split('\n')
      .find((one) => one.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1)) || 0
  }

  #write(file: string, value: number): void {
    writeFileSync(join(this.folder, file), String(value))
  }

  /** Kernels without accounting of swap do not have it. */
  #writeIfThere(file: string, value: number): void {
    try {
      this.#write(file, value)
    } catch {
      // Then there is nothing to bound.
    }
  }
}
