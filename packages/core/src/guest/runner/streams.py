"""Standard streams as `python3 -u` opens them in a UTF-8 locale."""

import io
import os
import sys


_ahead = []


def make_ahead():
    """Makes both outputs, so that forks need not: over pipes, since that is what a program's are."""
    reader, writer = os.pipe()
    for descriptor, errors in ((1, 'surrogateescape'), (2, 'backslashreplace')):
        kept = os.dup(descriptor)
        os.dup2(writer, descriptor)
        _ahead.append(_output(descriptor, errors))
        os.dup2(kept, descriptor)
        os.close(kept)
    os.close(reader)
    os.close(writer)


def install():
    """Puts a program's streams in the place of the runner's."""
    # No translation of line ends on the way in either: Python has none there.
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(
        open(0, 'rb', closefd=False), encoding='utf-8', errors='surrogateescape', newline='\n'
    )
    sys.stdin.mode = 'r'
    sys.stdout = sys.__stdout__ = _ahead[0]
    sys.stderr = sys.__stderr__ = _ahead[1]


def _output(descriptor, errors):
    raw = io.FileIO(descriptor, 'wb', closefd=False)
    stream = io.TextIOWrapper(raw, encoding='utf-8', errors=errors, newline='\n', write_through=True)
    stream.mode = 'w'
    return stream


def flush():
    """Flushes both outputs; false when that of `stdout` failed."""
    for stream in (sys.stderr, sys.stdout):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception:
            if stream is sys.stdout:
                return False
    return True


def flush_all(objects):
    """Flushes the files among `objects`, those with text first, because their bytes go to another one."""
    for kind in (io.TextIOWrapper, (io.BufferedWriter, io.BufferedRandom)):
        for one in objects:
            if issubclass(type(one), kind):
                try:
                    one.flush()
                except (OSError, ValueError):
                    # Full, or closed.
                    pass
