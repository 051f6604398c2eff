"""What only the operating system can do for the session's processes; what is not there is left out."""

import os
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
SIGKILL = 9

try:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
except Exception:  # a Python without ctypes, or a system without a C library to load
    libc = None


def prctl(option, value):
    """prctl(2) where there is one."""
    if libc is not None and sys.platform.startswith('linux'):
        libc.prctl(option, value, 0, 0, 0)


def keep_private():
    """Nobody of the same user reads the control process's memory or descriptors; orphans come to it."""
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def become_worker(parent):
    """An ordinary process again, that ends when its parent does."""
    prctl(PR_SET_DUMPABLE, 1)
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the parent had ended before the line above


def flush_c():
    """Empties the buffers of C's own stdout, which libraries print to."""
    if libc is not None:
        libc.fflush(None)


def close_from(first):
    """Closes every descriptor from `first` on."""
    try:
        most = os.sysconf('SC_OPEN_MAX')
    except (ValueError, OSError):
        most = 4096
    os.closerange(first, min(most if most > 0 else 4096, 1 << 16))


def children():
    """Our children, where the system lists them."""
    found = set()
    try:
        for task in os.listdir('/proc/self/task'):
            with open('/proc/self/task/%s/children' % task) as listing:
                found.update(int(pid) for pid in listing.read().split())
    except (OSError, ValueError):
        pass
    return found


def take_over_channels():
    """Standard input and output go where nobody reaches them by number; in their places there is nothing."""
    host_in, host_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number, inheritable=False)
    os.close(nothing)
    return host_in, host_out
