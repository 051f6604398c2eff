"""Imports of a session: modules of the workspace are found, and read again when their file has changed."""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import weakref

dependents = load('dependents')

#: Modules of the workspace, with their file and what it was like before it was read.
read = {}
#: What is done once a module has been loaded.
waiting = {}
workspace = ['']
#: Modules that were dropped, for those that still hold them and reload them.
dropped = weakref.WeakSet()
own_reload = importlib.reload


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
    importlib.reload = reload
    # In front of Python's own finder of files, behind those of built-in and frozen modules.
    finders = [finder is importlib.machinery.PathFinder for finder in sys.meta_path]
    sys.meta_path.insert(finders.index(True) if True in finders else len(finders), Finder())


def when_loaded(name, action):
    """Calls `action` with the module once it has been imported."""
    waiting[name] = action


def drop_changed():
    """Forgets the workspace's modules that have changed, and those that import them: these hold what they took."""
    importlib.invalidate_caches()
    changed = {name for name, (path, state) in read.items() if state_of(path) != state}
    if not changed:
        return
    paths = {name: path for name, (path, _) in read.items()}
    for name in dependents.with_dependents(changed, paths):
        del read[name]
        forget(name)


def forget(name):
    """The next import reads it again, and so does whoever asks its package for it."""
    module = sys.modules.pop(name, None)
    if not isinstance(module, type(sys)):
        return
    dropped.add(module)
    package, _, last = name.rpartition('.')
    if package in sys.modules and vars(sys.modules[package]).get(last) is module:
        delattr(sys.modules[package], last)
        Missing.of(sys.modules[package]).add(last)


class Missing(set):
    """Modules that a package has lost, as its `__getattr__`: each is imported when it is asked for."""

    def __init__(self, package):
        super().__init__()
        self.package, self.before = package.__name__, vars(package).get('__getattr__')

    @classmethod
    def of(cls, package):
        """That of the package."""
        if not isinstance(vars(package).get('__getattr__'), cls):
            package.__getattr__ = cls(package)
        return package.__getattr__

    def __call__(self, name):
        full = '%s.%s' % (self.package, name)
        if name in self:
            try:
                return importlib.import_module(full)
            except ModuleNotFoundError as error:
                if error.name != full:
                    raise
        if self.before is not None:
            return self.before(name)
        raise AttributeError('module %r has no attribute %r' % (self.package, name))


def reload(module):
    """As importlib.reload, also for a module that was dropped since it was imported."""
    if isinstance(module, type(sys)) and module in dropped:
        name = module.__spec__.name if module.__spec__ else module.__name__
        parts = name.split('.')
        for count in range(1, len(parts)):
            importlib.import_module('.'.join(parts[:count]))
        sys.modules[name] = module
        if len(parts) > 1:
            setattr(sys.modules['.'.join(parts[:-1])], parts[-1], module)
    return own_reload(module)


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
