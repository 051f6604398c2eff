"""What the candidate says of an exception: its own frames, with lines as the model wrote them, and the
chain of causes."""

import linecache
import os
import reprlib
import types

MAX_FRAMES = 20
MAX_LOCALS = 12
MAX_CAUSES = 5

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 120
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdict = _short.maxdeque = 8


def source_text(value):
    """A short repr that never raises."""
    try:
        return _short.repr(value)
    except BaseException as error:
        return '<%s whose repr raises %s>' % (type(value).__name__, type(error).__name__)


def message_of(error):
    """The last line of a traceback."""
    kind = type(error)
    name = (
        kind.__qualname__
        if kind.__module__ in ('builtins', '__main__')
        else kind.__module__ + '.' + kind.__qualname__
    )
    try:
        text = error.msg if isinstance(error, SyntaxError) and type(error.msg) is str else str(error)
    except BaseException as problem:
        text = '<its text raises %s>' % type(problem).__name__
    return name + ': ' + text if text else name


def details_of(error, folder, depth=0):
    """Everything about an exception that can be said in plain JSON."""
    frames, folded, scope = [], 0, None
    step = error.__traceback__
    while step is not None:
        path = inside(step.tb_frame.f_code.co_filename, folder)
        if path is not None:
            frames.append([path, step.tb_lineno, step.tb_frame.f_code.co_name, _line(step)])
            scope = step.tb_frame
        elif not step.tb_frame.f_code.co_filename.startswith('<mendloop '):
            folded += 1
        step = step.tb_next
    if len(frames) > MAX_FRAMES:
        folded += len(frames) - MAX_FRAMES
        frames = frames[: MAX_FRAMES // 2] + frames[-MAX_FRAMES // 2 :]
    details = {'message': message_of(error), 'kind': kind_of(error), 'frames': frames, 'folded': folded}
    if isinstance(error, SyntaxError) and error.filename and inside(error.filename, folder) is not None:
        details['syntax'] = [inside(error.filename, folder), error.lineno or 1, error.offset or 0]
    if scope is not None:
        details['locals'] = _locals(scope)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < MAX_CAUSES:
        details['cause'] = details_of(cause, folder, depth + 1)
    return details


def kind_of(error):
    """The sort of failure, in the words of the contract."""
    if isinstance(error, SyntaxError):
        return 'syntax'
    if isinstance(error, ImportError):
        return 'import'
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        return 'early-exit'
    return 'assertion' if isinstance(error, AssertionError) else 'exception'


def inside(filename, folder):
    """The path within the workspace, or None for a file of a library."""
    full = os.path.abspath(filename)
    if not full.startswith(folder + os.sep) or 'site-packages' in full or filename.startswith('<'):
        return None
    return os.path.relpath(full, folder)


def _line(step):
    return linecache.getline(step.tb_frame.f_code.co_filename, step.tb_lineno).strip()[:300]


def _locals(scope):
    if scope.f_code.co_name == '<module>':
        return {}
    unwanted = (types.ModuleType, types.FunctionType, type)
    shown = [
        (name, value)
        for name, value in scope.f_locals.items()
        if not name.startswith(('__', '.')) and not issubclass(type(value), unwanted)
    ]
    return {name: source_text(value) for name, value in shown[:MAX_LOCALS]}
