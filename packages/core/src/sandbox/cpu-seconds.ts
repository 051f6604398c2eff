// Limits of processor time as the kernel takes them: in whole seconds, first a signal, then a kill.

/** Processor seconds between the limit's SIGXCPU and the kernel's SIGKILL, for programs that catch the first. */
const GRACE_SECONDS = 1

/** RLIMIT_CPU for a limit in milliseconds: SIGXCPU at `soft` seconds, SIGKILL at `hard` whatever the program catches. */
export function cpuSeconds(cpuMs: number): { soft: number; hard: number } {
  const soft = Math.ceil(cpuMs / 1000)
  return { soft, hard: soft + GRACE_SECONDS }
}
