"""The lines of code in .pth files, which Python runs at each start. They may import a lot, which each fork
would pay for; so they wait until a program imports something that is installed, or that is nowhere else."""

import importlib.machinery
import os
import sys

# Python 3.8 and 3.9 do not say what is their own: there the lines are run at once.
_OWN = frozenset(getattr(sys, 'stdlib_module_names', ()))
# In the place of this, setuptools puts its own.
_REPLACED = {'distutils'}
_lines = []  # (folder of the .pth file, line)
_path = []  # as it is without a program
_installed = []
_flags = []


def collect(site):
    """Does what `site` does at a start, but for the lines, when they can wait."""
    before = set(sys.path)
    if _OWN:
        # Found before the built-in function.
        site.exec = _keep
    try:
        site.main()
    finally:
        if _OWN:
            del site.exec
    _path[:] = sys.path
    _installed[:] = [os.path.join(one, '') for one in sys.path if one not in before]
    if _lines:
        sys.meta_path.insert(0, _Waiting)


def _keep(line, *_):
    _lines.append((sys._getframe(1).f_locals.get('sitedir'), line))


def tell_in(flags):
    """Sets the second byte of `flags` when the lines are run in this process, unless it is None."""
    _flags[:] = [] if flags is None else [flags]


def run_all():
    """Runs those that wait, without what a program has put on the path."""
    lines, _lines[:] = _lines[:], []
    if not lines:
        return
    for flags in _flags:
        flags[1] = 1
    before = sys.path[:]
    sys.path[:] = _path
    for folder, line in lines:
        _run(folder, line)
    sys.path[:] = before + [one for one in sys.path if one not in before]


def _run(sitedir, line):
    # Lines look for this name in the frame that runs them.
    try:
        exec(line, {'__builtins__': __builtins__, 'sys': sys, 'os': os})
    except Exception:
        # It would be told at each start of this Python, which then goes on without.
        pass


class _Waiting:
    """Runs the lines before the first import that they may matter to; finds nothing that others would not."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """None, or a module of the program's own."""
        if not _lines or path is not None or (name in _OWN and name not in _REPLACED):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, None, target)
        if spec is not None and not _is_installed(spec):
            return spec
        run_all()
        return None


def _is_installed(spec):
    places = [spec.origin or '', *(spec.submodule_search_locations or ())]
    return any(place.startswith(folder) for place in places for folder in _installed)
