"""What a SystemExit comes to, as Python itself has it."""

import os
import sys

_LEAST_LONG = -sys.maxsize - 1


def code_of(error):
    """What a SystemExit says that the exit code is, as it is told to C."""
    try:
        asked = error.code
    except BaseException:
        asked = error
    if asked is None:
        return 0
    if issubclass(type(asked), int):
        # The value itself: a class of the program's own may say something else.
        number = int.__pos__(asked)
        return number & 0xFF if _LEAST_LONG <= number <= sys.maxsize else 255
    _tell(asked)
    return 1


def _tell(value):
    """Prints what somebody has exited with, as far as that can be; the line ends in any case."""
    stream = getattr(sys, 'stderr', None)
    try:
        if stream is None:
            _write_error(str(value))
        else:
            stream.write(str(value))
    except BaseException:
        pass
    try:
        stream.write('\n')
    except BaseException:
        _write_error('\n')


def _write_error(text):
    try:
        os.write(2, text.encode('utf-8', 'backslashreplace'))
    except OSError:
        pass
