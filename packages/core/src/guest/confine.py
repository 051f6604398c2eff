"""Keeps the judge out of the candidate's reach, by what the kernel grants to any process."""

import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_GET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 3, 24, 38
CAPABILITY_VERSION_3 = 0x20080522


def _libc():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    return ctypes, libc


def make_private():
    """Closes this process's memory and descriptors to all others of its user; true when it surely worked."""
    if not sys.platform.startswith('linux'):
        return True
    _, libc = _libc()
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    return libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0


def drop_powers():
    """Gives up every capability for good, since with CAP_SYS_PTRACE nothing is private; true when it
    surely worked."""
    if not sys.platform.startswith('linux'):
        return True
    ctypes, libc = _libc()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc.capset(header, sets)
    held = (ctypes.c_uint32 * 6)(*[1] * 6)
    return libc.capget(header, held) == 0 and not any(held)


def only_descriptors(kept):
    """Closes every descriptor that is not in `kept`."""
    try:
        highest = os.sysconf('SC_OPEN_MAX')
    except (OSError, ValueError):
        highest = 4096
    last = -1
    for descriptor in (*sorted(kept), min(max(highest, 256), 1 << 20)):
        # An empty range would close everything in Python 3.11.
        if descriptor > last + 1:
            os.closerange(last + 1, descriptor)
        last = descriptor
