"""How an execution ended: packed by its supervisor, for whom each object that it makes is a page that it
copies; read by the desk."""

import os
import signal
import struct

shortages = load('shortages')

# Wait status, seconds, seconds of processor time, most memory in KiB, what it says that it ran short of,
# whether it ran startup lines, whether processes are left, whether the supervisor ends.
LAYOUT = struct.Struct('<iddQB???')
WELL = {'kind': 'exit', 'code': 0}
_RAISED = {'kind': 'exit', 'code': 1}


def unpacked(payload):
    """As the host reads it, with `usedUp` and `ranStartupLines` for the desk."""
    status, seconds, cpu_seconds, peak, short_of, ran_lines, leftover, used_up = LAYOUT.unpack(payload)
    end = {
        'how': _how(status),
        'durationMs': seconds * 1000,
        'cpuMs': cpu_seconds * 1000,
        'peakMemoryBytes': peak * 1024,
        'leftover': leftover,
        'ranStartupLines': ran_lines,
        'usedUp': used_up,
    }
    # A program can say so itself, and gains no more than to raise the error.
    if end['how'] == _RAISED and short_of == shortages.MEMORY:
        end['outOfMemory'] = True
    if end['how'] == _RAISED and short_of == shortages.PROCESSES:
        end['processesRefused'] = True
    return end


def _how(status):
    if os.WIFSIGNALED(status):
        return {'kind': 'signal', 'signal': _signal_name(os.WTERMSIG(status))}
    return {'kind': 'exit', 'code': os.WEXITSTATUS(status)}


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return 'SIG%d' % number
