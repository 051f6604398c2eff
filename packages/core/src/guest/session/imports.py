"""Imports of a session: modules of the workspace are found, and read again when their file has changed."""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys

#: Modules of the workspace, with their file and what it was like before it was read.
read = {}
#: What is done once a module has been loaded.
waiting = {}
workspace = ['']


class Finder(importlib.abc.MetaPathFinder):
    """Finds what Python finds, and looks at it on the way."""

    def find_spec(self, name, path=None, target=None):
        """As for every finder."""
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None:
            return None
        if spec.origin is not None and is_within(spec.origin):
            read[name] = (spec.origin, state_of(spec.origin))
        if name in waiting and spec.loader is not None:
            spec.loader = Afterwards(spec.loader, waiting[name])
        return spec


class Afterwards(importlib.abc.Loader):
    """Loads as another does, and then does something with the module."""

    def __init__(self, loader, action):
        self.loader, self.action = loader, action

    def create_module(self, spec):
        """As the other."""
        return self.loader.create_module(spec)

    def exec_module(self, module):
        """As the other; from then on the module has its own loader again."""
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.action(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)


def prepare(folder):
    """The workspace comes first on the path, as the folder of a script does."""
    workspace[0] = os.path.join(os.path.realpath(folder), '')
    # -I leaves out what the caller has put into the environment.
    extra = [entry for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep) if entry]
    sys.path[:0] = [folder, *extra]
    # In front of Python's own finder of files, behind those of built-in and frozen modules.
    finders = [finder is importlib.machinery.PathFinder for finder in sys.meta_path]
    sys.meta_path.insert(finders.index(True) if True in finders else len(finders), Finder())


def when_loaded(name, action):
    """Calls `action` with the module once it has been imported."""
    waiting[name] = action


def drop_changed():
    """Forgets the workspace's modules when one has changed: others may hold what they took from it."""
    importlib.invalidate_caches()
    if all(state_of(path) == state for path, state in read.values()):
        return
    for name in list(read):
        sys.modules.pop(name, None)
    read.clear()


def is_within(path):
    """The file lies in the workspace, and is not a package that was installed into it."""
    path = os.path.realpath(path)
    return path.startswith(workspace[0]) and 'site-packages' not in path


def state_of(path):
    """Differs when the file does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
