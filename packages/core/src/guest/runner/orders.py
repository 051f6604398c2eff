"""The signals that are orders to a supervisor, and waiting for its program with an ear for them."""

import os
import select
import signal
import time

# Without the wrappers that make enumerations of numbers.
import _signal

processes = load('processes')

_LOOK_AGAIN_SECONDS, _LONGEST_PAUSE = 0.05, 0.5
KILL, _TERMINATE, _CHILD = int(signal.SIGTERM), int(signal.SIGUSR1), int(signal.SIGCHLD)
ALL = {KILL, _TERMINATE, _CHILD}
# Held back like those, and no order: a program may send it to the first process of its namespace, where Python
# would raise.
HELD = ALL | {int(signal.SIGINT)}


def await_end(first, tree, usage, cpu_seconds):
    """Wait status of the first process. An order to kill comes as a signal, also when the desk has died.
    So does the end of all when they have used more than `cpu_seconds` together, unless that is 0: the kernel
    counts for each process alone."""
    # A longer limit is looked at less often: a look takes some time itself.
    pause = min(_LONGEST_PAUSE, _LOOK_AGAIN_SECONDS * cpu_seconds)
    look_at = time.monotonic() + pause
    while True:
        order = _next(max(0, look_at - time.monotonic()) if cpu_seconds else None)
        if cpu_seconds and time.monotonic() >= look_at:
            look_at = time.monotonic() + pause
            if usage.seconds + processes.living_seconds() > cpu_seconds:
                tree.kill()
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


def listen(status, tree, is_spare):
    """What the program's process says until it has become the program, as bytes."""
    said = b''
    while True:
        patience = None if is_spare and not said else _LOOK_AGAIN_SECONDS
        if select.select([status], [], [], patience)[0]:
            piece = os.read(status, 1 << 16)
            if not piece:
                break
            said += piece
        elif KILL in _signal.sigpending():
            tree.kill()
    os.close(status)
    return said


def _next(patience):
    """The next order, or None when there is none for so many seconds."""
    if patience is None:
        return _signal.sigwait(ALL)
    told = _signal.sigtimedwait(ALL, patience)
    return told and told.si_signo


def _terminate(first):
    """Asks the program, which leads a group, and the rest of that group to end."""
    try:
        os.killpg(first, signal.SIGTERM)
    except OSError:
        # It has ended; waiting for it tells how.
        pass
