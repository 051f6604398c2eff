"""A folder that packages may write to while they are imported, and what they then remember of it."""

import atexit
import os
import sys

tidying = load('tidying')

# What says where a home is, and what is kept in it.
_HOMES = ('HOME', 'TMPDIR', 'TMP', 'TEMP')
_WITHIN_HOME = ('XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR')


class Lent:
    """Lends one below the first of these folders where one can be made; it goes at the end. None of what is
    in it is for programs: they have homes of their own, and may not reach this one."""

    def __init__(self, candidates):
        self._candidates = candidates
        self._folder = None
        self._register = atexit.register

    def __enter__(self):
        folder = self._folder = _made(self._candidates)
        if folder is not None:
            for name in _WITHIN_HOME:
                os.environ.pop(name, None)
            os.environ.update({name: folder for name in _HOMES})
            atexit.register = _without(folder, self._register)

    def __exit__(self, *_):
        atexit.register = self._register
        if self._folder is not None:
            _forget_temporary(self._folder)
            tidying.remove_all(self._folder)


def _made(candidates):
    for above in candidates:
        folder = os.path.join(above, 'mendloop-imports-' + os.urandom(8).hex())
        try:
            os.mkdir(folder, 0o700)
        except OSError:
            continue
        return folder
    return None


def _without(folder, register):
    """Registers what is to be done at the end of each program, as if it had imported the package itself, but
    for what would be done with files of this folder: those are not its own, and gone."""

    def register_unless_gone(function, *args, **named):
        if not any(_is_below(folder, one) for one in (*args, *named.values())):
            register(function, *args, **named)
        return function

    return register_unless_gone


def _is_below(folder, value):
    try:
        path = os.fsdecode(value)
    except TypeError:
        return False
    return path == folder or path.startswith(folder + '/')


def _forget_temporary(folder):
    """The folder for temporary files that has been found is not where a program's are."""
    module = sys.modules.get('tempfile')
    if module is not None and _is_below(folder, module.tempdir):
        module.tempdir = None
