"""Python packages in the zygote: found once, imported ahead, so that each fork has them already."""

import gc
import importlib
import os
import sys

borrowed_home = load('borrowed_home')
heap = load('heap')
python_program = load('python_program')
startup_lines = load('startup_lines')
system = load('system')

# One thread each: a pool of threads does not survive a fork.
_THREADS = ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS')
_surroundings = {}
_state = {'found': False}


def put_away_environment():
    """Leaves an empty environment, which each program fills with its own; imports have the runner's."""
    _surroundings.update(os.environ)
    os.environ.clear()


def find():
    """Makes the installed packages importable; the zygote starts without them, since that takes a while. True
    when it did."""
    if _state['found']:
        return False
    _state['found'] = True
    import site

    before = set(sys.modules)
    # Without it, `site` looks for the home among the users of the machine, which loads libraries for each
    # fork.
    os.environ['HOME'] = '/'
    startup_lines.collect(site)
    del os.environ['HOME']
    _forget_own_packages()
    # Some installed packages have things imported at every start.
    python_program.learn({name for name in sys.modules if name not in before})
    freeze()
    return True


def _forget_own_packages():
    """Found again when somebody asks, in the home of the program."""
    site = sys.modules['site']
    site.USER_BASE = site.USER_SITE = None


def preload(names, own_folder):
    """Imports packages; returns (loaded, failed with its reason by name). `own_folder`: one of the runner's,
    or None, for what they write meanwhile."""
    find()
    startup_lines.run_all()
    loaded, failed = [], {}
    os.environ.update(_surroundings)
    for name in _THREADS:
        os.environ.setdefault(name, '1')
    candidates = [own_folder, os.environ.get('TMPDIR'), '/tmp']
    with borrowed_home.Lent([one for one in candidates if one and names]):
        for name in names:
            try:
                importlib.import_module(name)
                loaded.append(name)
            except BaseException as error:
                failed[name] = '%s: %s' % (type(error).__name__, error)
    os.environ.clear()
    _forget_own_packages()
    freeze()
    return loaded, failed


def warm_up():
    """Does once what Python does at the first compilation: each fork has it then. In 3.13 and later also what
    it loads to show an error."""
    code = 'def f(x):\n    return [i for i in range(x)]\nf(3)\n1/0'
    try:
        exec(compile(code, '<warm-up>', 'exec'), {})
    except ZeroDivisionError:
        if sys.version_info >= (3, 13):
            import traceback

            traceback.format_exc()


def freeze():
    """Keeps the collector off what is here now: a collection in a fork would copy every page of it."""
    gc.collect()
    heap.settle()
    gc.freeze()
