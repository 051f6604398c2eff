"""What a supervisor and its program's process tell the desk of an execution."""

import os
import select
import signal

frames = load('frames')
line = load('line')
system = load('system')


def how(status):
    """A wait status as the host is told it."""
    if os.WIFSIGNALED(status):
        return {'kind': 'signal', 'signal': _signal_name(os.WTERMSIG(status))}
    return {'kind': 'exit', 'code': os.WEXITSTATUS(status)}


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return 'SIG%d' % number


def orphaned():
    """True when the runner died before its death could be told: nobody reads the reports."""
    poll = select.poll()
    poll.register(line.NUMBER, 0)
    return bool(poll.poll(0))


def tell(kind, payload):
    """Sends the desk a frame."""
    try:
        system.write_all(line.NUMBER, frames.frame(kind, 0, payload))
    except OSError:
        # The desk is gone; what is left to do is done all the same.
        pass
