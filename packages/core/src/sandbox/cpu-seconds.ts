// Limits of processor time as the kernel takes them: in whole seconds, first a signal, then a kill.

/** Processor seconds between the limit's SIGXCPU and the kernel's SIGKILL, for programs that catch the first. */
const GRACE_SECONDS = 1

/** Processor time at which the kernel acts, in whole seconds. */
export interface CpuSeconds {
  /** SIGXCPU is sent. */
  readonly soft: number
  /** SIGKILL is sent, whatever the program catches. */
  readonly hard: number
}

/** RLIMIT_CPU for a limit in milliseconds. */
export function cpuSeconds(cpuMs: number): CpuSeconds {
  const soft = Math.ceil(cpuMs / 1000)
  return { soft, hard: soft + GRACE_SECONDS }
}
