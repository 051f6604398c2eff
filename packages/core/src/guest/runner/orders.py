"""The signals that are orders to a supervisor, and waiting for its program with an ear for them."""

import os
import signal
import time

# Without the wrappers that make enumerations of numbers.
import _signal

processes = load('processes')

_LOOK_AGAIN_SECONDS, _LONGEST_PAUSE = 0.05, 0.5
KILL, _TERMINATE, _CHILD = int(signal.SIGTERM), int(signal.SIGUSR1), int(signal.SIGCHLD)
# Of the program's own process, while it is not the program yet: there is a limit to look at.
LIMITED = int(signal.SIGUSR2)
ALL = {KILL, _TERMINATE, _CHILD, LIMITED}
# Held back like those, and no order: a program may send it to the first process of its namespace, where
# Python would raise.
HELD = ALL | {int(signal.SIGINT)}


def await_end(first, tree, usage, limit):
    """Wait status of the first process, and whether there was an order to kill. An order to kill comes as a
    signal, also when the desk has died. So does the end of all when they have used more seconds than
    `limit()` together, unless that is 0: the kernel counts for each process alone."""
    cpu_seconds = pause = look_at = 0
    killed = False
    while True:
        order = _next(max(0, look_at - time.monotonic()) if cpu_seconds else None)
        if order == LIMITED and not cpu_seconds:
            cpu_seconds = limit()
            # A longer limit is looked at less often: a look takes some time itself.
            pause = min(_LONGEST_PAUSE, _LOOK_AGAIN_SECONDS * cpu_seconds)
            look_at = time.monotonic() + pause
        elif cpu_seconds and time.monotonic() >= look_at:
            look_at = time.monotonic() + pause
            if usage.seconds + processes.living_seconds() > cpu_seconds:
                tree.kill()
        if order == KILL:
            killed = True
            tree.kill()
        elif order == _TERMINATE:
            _terminate(first)
        while True:
            pid, status, resources = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            usage.add(resources)
            if pid == first:
                # Perhaps it is just there: what it is meant for may not have begun.
                return status, killed or KILL in _signal.sigpending()


def forget():
    """Takes back the orders that are there; true when one of them was to kill."""
    killed = False
    while True:
        told = _signal.sigtimedwait(HELD, 0)
        if told is None:
            return killed
        killed = killed or told.si_signo == KILL


def _next(patience):
    """The next order, or None when there is none for so many seconds."""
    if patience is None:
        return _signal.sigwait(ALL)
    told = _signal.sigtimedwait(ALL, patience)
    return told and told.si_signo


def _terminate(first):
    """Asks the program, which leads a group, and the rest of that group to end."""
    for ask in (os.killpg, os.kill):
        try:
            ask(first, signal.SIGTERM)
            return
        except OSError:
            # It leads no group yet, or has ended; waiting for it tells how.
            pass
