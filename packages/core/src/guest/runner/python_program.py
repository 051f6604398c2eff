"""Runs a Python file in this process as `python3 -u file` would, but for the start: the interpreter is warm.

Strings hash as in the runner: all executions of one runner share PYTHONHASHSEED.
"""

import _locale
import atexit
import gc
import itertools
import os
import signal
import sys

exit_codes = load('exit_codes')
file_reader = load('file_reader')
main_module = load('main_module')
shortages = load('shortages')
startup_lines = load('startup_lines')
streams = load('streams')
system = load('system')
workspace = load('workspace')

# A bare interpreter has these too, so a file beside the program does not take their name.
_always_there = set(
    'abc codecs encodings genericpath importlib io os posixpath site stat zipimport'
    ' _collections_abc _sitebuiltins __main__'.split()
).union(sys.builtin_module_names)
_resolved = {}
_CANNOT_BE_READ, _CANNOT_BE_WRITTEN = 2, 120
# How a program ends that raised, as the host is told it.
RAISED = {'kind': 'exit', 'code': 1}
_had_command = hasattr(sys, 'orig_argv')


def learn(always_there):
    """Notes names that any interpreter here has loaded."""
    _always_there.update(always_there)


def warm_up():
    """Does ahead what every program does first: the pages are this process's own then."""
    exec(compile('1', '<warm-up>', 'exec'), {})


def practise(request):
    """Does what is done before and after a program, and what most of them do, in a folder that holds
    nothing."""
    path = os.path.join(os.devnull, request.program['entry'])
    _set_surroundings(request, os.devnull, path)
    startup_lines.tell_in(bytearray(2))
    source = _read(os.devnull) or 'print(1)'
    exec(compile(source, path, 'exec', dont_inherit=True), main_module.names_of(path))
    startup_lines.tell_in(None)
    streams.flush()
    streams.flush_all(gc.get_objects())
    system.flush_native_output()


def resolved(root):
    """The root of a workspace without links; asked for before the fork, it is known there."""
    if root not in _resolved:
        _resolved[root] = os.path.realpath(root)
    return _resolved[root]


def run(request, root, shortage):
    """Runs it to its end; never returns. Called with next to nothing on the stack: programs look at it."""
    owner = os.getpid()
    entry = request.program['entry']
    path = workspace.within(root, entry)
    folder = os.path.dirname(os.path.join(resolved(root), entry) if request.fresh else os.path.realpath(path))
    _set_surroundings(request, folder, path if request.cwd else entry)
    startup_lines.tell_in(shortage)
    code = 0
    try:
        source = _read(path)
        if b'\0' in source:
            names = main_module.names_of(path)
            file_reader.reader_of(path)(names, names, True, None)
        else:
            exec(compile(source, path, 'exec', dont_inherit=True), main_module.names_of(path))
    except SystemExit as error:
        code = exit_codes.code_of(error)
    except BaseException as error:
        code = main_module.report(error)
        # Only the program itself says so, not what it has forked.
        if os.getpid() == owner:
            shortage[0] = shortages.shortage_of(error)
    _finish(code)


def _set_surroundings(request, folder, name):
    # One by one: `update` asks first whether it is given a mapping, which takes longer than all of this.
    for variable, value in request.env.items():
        os.environ[variable] = value
    _set_locale(request.env)
    streams.install(request.piped or request.input_bytes is not None, request.env)
    sys.argv[:] = [name, *request.program['args']]
    if _had_command:
        # Since Python 3.10. The first is how the interpreter was called.
        sys.orig_argv[1:] = ['-u', *sys.argv]
    more = request.env.get('PYTHONPATH', '')
    sys.path[:0] = [folder, *(more.split(os.pathsep) if more else ())]
    _make_room_for(sys.path[0 : 1 + bool(more)])
    _seed()


def _set_locale(env):
    name = env.get('LC_ALL') or env.get('LC_CTYPE') or env.get('LANG')
    # It is read from files, unless it is the one that is there.
    if name != _locale.setlocale(_locale.LC_CTYPE):
        try:
            _locale.setlocale(_locale.LC_CTYPE, '')
        except _locale.Error:
            pass


def _make_room_for(folders):
    """Takes away what is loaded under the name of a file that the program has."""
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in {one.partition('.')[0] for one in names}:
            if name in sys.modules and name not in _always_there:
                _unload(name)


def _unload(name):
    for one in list(sys.modules):
        if one.partition('.')[0] == name:
            del sys.modules[one]


def _seed():
    """`random` sees to itself in a fork."""
    numbers = sys.modules.get('numpy.random')
    if numbers is not None:
        numbers.seed()


def _read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError as error:
        said = "%s: can't open file %r: [Errno %d] %s\n" % (sys.executable, path, error.errno, error.strerror)
        sys.stderr.write(said)
        raise SystemExit(_CANNOT_BE_READ) from None


def _finish(code):
    """What Python does at its end, in its order, but for its teardown, which takes longer than all this."""
    threading = sys.modules.get('threading')
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            main_module.report(error)
    try:
        atexit._run_exitfuncs()
    except BaseException:
        # Python before 3.10 raises the last one again, which it has shown already.
        pass
    if not streams.flush() and code >= 0:
        code = _CANNOT_BE_WRITTEN
    _let_go()
    streams.flush()
    system.flush_native_output()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _let_go():
    """Drops the program's modules: what it did not flush to files is written, and `__del__` runs."""
    for name in list(itertools.takewhile(lambda one: one != '__main__', reversed(sys.modules))):
        del sys.modules[name]
    sys.modules.pop('__main__', None)
    # Before the collection, which may close a file ahead of the buffer that is to be written to it.
    streams.flush_all(gc.get_objects())
    gc.collect()
