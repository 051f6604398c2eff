"""What a supervisor tells of an execution: how it ended, and the files that it left."""

import os
import select
import signal

frames = load('frames')
line = load('line')
workspace = load('workspace')


def collect(root, laid_out):
    """Sends the files of an open workspace that are new or changed; returns which ones it could not send."""

    def emit(path, size, offset, piece):
        tell(frames.FILE, frames.with_header({'path': path, 'sizeBytes': size, 'offset': offset}, piece))

    try:
        # The program may have closed it.
        os.fchmod(root, 0o700)
    except OSError:
        pass
    wanted = laid_out['collect']
    collection = workspace.Collection(laid_out['digests'], wanted['files'], wanted['bytes'], emit)
    collection.walk(root)
    return {'deleted': collection.deleted, 'withheld': collection.withheld}


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
    """Sends the runner a frame."""
    try:
        workspace.write_all(line.NUMBER, frames.frame(kind, 0, payload))
    except OSError:
        # The runner is gone; what is left to do is done all the same.
        pass
