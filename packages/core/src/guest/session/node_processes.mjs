// What the control process finds out about its workers and does to them.
import { readdirSync, readFileSync } from 'node:fs'

/** V8, and the library of C++, end a process that gets no more memory, and say so before. */
const NO_MEMORY =
  /^(?:FATAL ERROR|#? ?Fatal process).*(?:out of memory|OOM|allocation failed)|^terminate called .*'std::bad_alloc'$/im

/** Whether a worker that has ended so has run out of memory. */
export const isOutOfMemory = ({ complaint }, signal, { outOfMemory = false }) =>
  signal === 'SIGKILL' ? outOfMemory : signal === 'SIGABRT' && NO_MEMORY.test(complaint)

/** All that a process has started and that still hangs on it, where the system lists that; groups do not matter. */
export function descendants(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const own = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
    return own.filter(Boolean).flatMap((child) => [Number(child), ...descendants(child)])
  } catch {
    return []
  }
}

/** A signal to a worker and all that is in its group. */
export const signalGroup = (worker, signal) => send(-worker.child.pid, signal)

/** A signal to a process, or to a group by its negative number. */
export function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // Nobody was left.
  }
}
