"""The module that a program is, and how its uncaught errors are shown; in forks and in processes of their own."""

import _signal
import builtins
import importlib.machinery
import sys
import types

exit_codes = load('exit_codes')


def names_of(path):
    """The names of a new `__main__`, as it is for the file at this path."""
    module = types.ModuleType('__main__')
    module.__dict__.update(
        __file__=path,
        __builtins__=builtins,
        __loader__=importlib.machinery.SourceFileLoader('__main__', path),
        __annotations__={},
        __cached__=None,
    )
    # Put last: what comes after it is the program's.
    sys.modules.pop('__main__', None)
    sys.modules['__main__'] = module
    return module.__dict__


def _drop_our_frames(error):
    """What Python itself would show begins with the program's own frame."""
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next


def report(error):
    """Shows an exception as Python does; returns the exit code."""
    _drop_our_frames(error)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as second:
        return exit_codes.code_of(second)
    except BaseException as second:
        _drop_our_frames(second)
        second.__context__ = None
        sys.stderr.write('Error in sys.excepthook:\n')
        sys.__excepthook__(type(second), second, second.__traceback__)
        sys.stderr.write('\nOriginal exception was:\n')
        sys.__excepthook__(type(error), error, error.__traceback__)
    return -_signal.SIGINT if type(error) is KeyboardInterrupt else 1
