// One control group: its limits, and what the kernel counted in it. The two versions differ in names only.
import { closeSync, mkdirSync, openSync, readSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../system-error.js'
import type { Control, Hierarchy } from './hierarchy.js'

/** How often the kernel acted at a limit. */
export interface CgroupCounts {
  /** Processes that it ended for want of memory. */
  readonly oomKills: number
  /** Processes and threads that it refused. */
  readonly refusedForks: number
}

/** By so much what is left in a group may differ without its limit being written anew. */
const ROUNDED_BYTES = 4 * 1024 * 1024
/** The kernel takes no more (PID_MAX_LIMIT). */
const MOST_PROCESSES = 4 * 1024 * 1024
/** Longest file that is read here. */
const reading = Buffer.alloc(4096)

/** A group of one hierarchy. */
export class Cgroup {
  readonly folder: string
  readonly #version: 1 | 2
  readonly #controls: readonly Control[]
  #memoryBytes = 0
  #processes = 0
  /** Files that are read after each execution stay open. */
  readonly #open = new Map<string, number>()

  constructor(hierarchy: Hierarchy, name: string) {
    this.folder = join(hierarchy.folder, name)
    this.#version = hierarchy.version
    this.#controls = hierarchy.controls
    mkdirSync(this.folder)
  }

  /**
   * Opens the file that takes a process in which writes `0` to it. Version 1 has one for single threads: moving one
   * costs 0.05 ms there, a whole process some 13, for which the kernel waits until no process on the machine forks.
   */
  openEntrance(): number {
    return openSync(join(this.folder, this.#version === 1 ? 'tasks' : 'cgroup.procs'), 'w')
  }

  /** Version 2: groups below it have the controls that it has. @throws Error when the kernel does not take it */
  passOn(): void {
    const controls = this.#controls.flatMap((control) => (control === 'cpu' ? [] : `+${control}`)).join(' ')
    writeFileSync(join(this.folder, 'cgroup.subtree_control'), controls)
  }

  /** @throws Error when the kernel does not take them */
  limit({ memoryBytes, processes }: { memoryBytes: number; processes: number }): void {
    if (this.#controls.includes('memory')) this.#limitMemory(memoryBytes + this.#leftBytes())
    if (this.#controls.includes('pids') && processes !== this.#processes) {
      this.#write('pids.max', Math.min(processes, MOST_PROCESSES))
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

  /** Processor time of all that has ever been in it, in milliseconds; 0 where it does not count that. */
  cpuMs(): number {
    if (!this.#controls.includes('cpu')) return 0
    if (this.#version === 1) return Number(this.#read('cpuacct.usage')) / 1e6
    return this.#count('cpu.stat', 'usage_usec') / 1e3
  }

  /** True when it does nothing but count processor time. */
  get onlyCounts(): boolean {
    return this.#controls.every((control) => control === 'cpu')
  }

  /** Removes it. @returns false while something is in it */
  remove(): boolean {
    for (const descriptor of this.#open.values()) closeSync(descriptor)
    this.#open.clear()
    try {
      rmdirSync(this.folder)
      return true
    } catch (error) {
      return errorCode(error) === 'ENOENT'
    }
  }

  /** Files in memory that executions before have left are charged here for as long as they exist. */
  #leftBytes(): number {
    const file = this.#version === 1 ? 'memory.usage_in_bytes' : 'memory.current'
    const bytes = Number(this.#read(file)) || 0
    return Math.ceil(bytes / ROUNDED_BYTES) * ROUNDED_BYTES
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
    const line = this.#read(file)
      .split('\n')
      .find((one) => one.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1)) || 0
  }

  /** Text of one of its files, or nothing. */
  #read(file: string): string {
    try {
      const descriptor = this.#open.get(file) ?? openSync(join(this.folder, file), 'r')
      this.#open.set(file, descriptor)
      return reading.toString('latin1', 0, readSync(descriptor, reading, 0, reading.length, 0))
    } catch {
      return ''
    }
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
