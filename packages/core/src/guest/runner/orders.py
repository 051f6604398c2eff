"""The signals that are orders to a supervisor, and waiting for its program with an ear for them."""

import os
import signal

# Without the wrappers that make enumerations of numbers.
import _signal

KILL, _TERMINATE, _CHILD = int(signal.SIGTERM), int(signal.SIGUSR1), int(signal.SIGCHLD)
ALL = {KILL, _TERMINATE, _CHILD}


def await_end(first, tree, usage):
    """Wait status of the first process. An order to kill comes as a signal, also when the desk has died."""
    while True:
        order = _signal.sigwait(ALL)
        if order == KILL:
            tree.kill()
        elif order == _TERMINATE:
            _terminate(first)
        while True:
            pid, status, resources = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            usage.add(resources)
            if pid == first:
                return status


def _terminate(first):
    """Asks the program, which leads a group, and the rest of that group to end."""
    try:
        os.killpg(first, signal.SIGTERM)
    except OSError:
        # It has ended; waiting for it tells how.
        pass
