"""Standard streams as `python3 -u` opens them in a UTF-8 locale, or as the environment has it."""

import _locale
import codecs
import io
import os
import sys


_BUFFERED = (io.BufferedWriter, io.BufferedRandom)
_FILES = (io.TextIOWrapper, *_BUFFERED)
_NAMES = '<stdin>', '<stdout>', '<stderr>'
# As programs have it whose environment says `PYTHONIOENCODING=utf-8`.
_USUAL = 'utf-8', 'strict'
# Where Python does not rely on bytes being what the locale says.
_LENIENT_LOCALES = {'C', 'POSIX', 'C.UTF-8', 'C.utf8', 'UTF-8'}
_ahead = []


def make_ahead():
    """Makes streams over what a program's most often are, so that forks need not: pipes, and no input."""
    reader, writer = os.pipe()
    for descriptor in (1, 2):
        kept = os.dup(descriptor)
        os.dup2(writer, descriptor)
        _ahead.append(_output(descriptor))
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


def install(has_input, env):
    """Puts a program's streams in the place of the runner's, once its locale is set."""
    # Kept: to take them apart takes longer.
    _ahead.extend((sys.stdin, sys.stdout, sys.stderr))
    sys.stdout = sys.__stdout__ = _ahead[0]
    sys.stderr = sys.__stderr__ = _ahead[1]
    sys.stdin = sys.__stdin__ = _input() if has_input else _ahead[2]
    encoding, errors = _asked(env)
    if (encoding, errors) != _USUAL:
        sys.stderr.reconfigure(encoding=encoding, errors=sys.stderr.errors)
        for stream in (sys.stdin, sys.stdout):
            stream.reconfigure(encoding=encoding, errors=errors)


def _asked(env):
    """Encoding, and what is done with what it does not have, but for what is written to `stderr`."""
    encoding, _, errors = env.get('PYTHONIOENCODING', '').partition(':')
    if encoding == _USUAL[0]:
        return encoding, errors or 'strict'
    if encoding:
        try:
            return codecs.lookup(encoding).name, errors or 'strict'
        except LookupError:
            # Python would not start.
            pass
    is_lenient = env.get('PYTHONUTF8') == '1' or _locale.setlocale(_locale.LC_CTYPE) in _LENIENT_LOCALES
    return _USUAL[0], errors or ('surrogateescape' if is_lenient else 'strict')


def _input():
    # No translation of line ends on the way in either: Python has none there.
    binary = open(0, 'rb', closefd=False)
    binary.raw.name = _NAMES[0]
    stream = io.TextIOWrapper(binary, encoding=_USUAL[0], errors=_USUAL[1], newline='\n')
    stream.mode = 'r'
    return stream


def _output(descriptor):
    raw = io.FileIO(descriptor, 'wb', closefd=False)
    raw.name = _NAMES[descriptor]
    errors = 'backslashreplace' if descriptor == 2 else _USUAL[1]
    stream = io.TextIOWrapper(raw, encoding=_USUAL[0], errors=errors, newline='\n', write_through=True)
    stream.mode = 'w'
    return stream


def flush():
    """Flushes both outputs; false when that failed."""
    are_flushed = True
    for name in ('stderr', 'stdout'):
        stream = getattr(sys, name, None)
        try:
            if stream is not None and not getattr(stream, 'closed', False):
                stream.flush()
        except Exception:
            are_flushed = False
    return are_flushed


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
