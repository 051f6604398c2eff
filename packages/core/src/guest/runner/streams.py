"""Standard streams as `python3 -u` opens them in a UTF-8 locale."""

import io
import os
import sys


_BUFFERED = (io.BufferedWriter, io.BufferedRandom)
_FILES = (io.TextIOWrapper, *_BUFFERED)
_ahead = []


def make_ahead():
    """Makes streams over what a program's most often are, so that forks need not: pipes, and no input."""
    reader, writer = os.pipe()
    for descriptor, errors in ((1, 'surrogateescape'), (2, 'backslashreplace')):
        kept = os.dup(descriptor)
        os.dup2(writer, descriptor)
        _ahead.append(_output(descriptor, errors))
        os.dup2(kept, descriptor)
        os.close(kept)
    os.close(reader)
    os.close(writer)
    nothing = os.open(os.devnull, os.O_RDONLY)
    kept = os.dup(0)
    os.dup2(nothing, 0)
    _ahead.append(_input())
    os.dup2(kept, 0)
    os.close(kept)
    os.close(nothing)


def ahead():
    """Those that have been made, to be put back."""
    return _ahead[:]


def put_back(made):
    """Forgets what has been installed since."""
    _ahead[:] = made


def install(has_input):
    """Puts a program's streams in the place of the runner's."""
    # Kept: to take them apart takes longer.
    _ahead.extend((sys.stdin, sys.stdout, sys.stderr))
    sys.stdout = sys.__stdout__ = _ahead[0]
    sys.stderr = sys.__stderr__ = _ahead[1]
    sys.stdin = sys.__stdin__ = _input() if has_input else _ahead[2]


def _input():
    # No translation of line ends on the way in either: Python has none there.
    binary = open(0, 'rb', closefd=False)
    stream = io.TextIOWrapper(binary, encoding='utf-8', errors='surrogateescape', newline='\n')
    stream.mode = 'r'
    return stream


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
    files = [one for one in objects if issubclass(type(one), _FILES)]
    for kind in (io.TextIOWrapper, _BUFFERED):
        for one in files:
            if issubclass(type(one), kind):
                try:
                    one.flush()
                except (OSError, ValueError):
                    # Full, or closed.
                    pass
