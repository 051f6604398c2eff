# What must stay as it was while the program runs: the runner's own code, and the files of the tests.
import builtins
import os
import sys
import types

# Honest programs replace these.
_FREE = {"print", "open", "input", "breakpoint", "exit", "quit", "help", "_"}
_WRAPPED = (staticmethod, classmethod)


def _plain(value):
    return value.__func__ if isinstance(value, _WRAPPED) else value


def _parts(module):
    """Each function and class of a module, and each function of its classes."""
    for name, value in list(vars(module).items()):
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
            yield module, name, value
        elif isinstance(value, type):
            yield module, name, value
            if value.__module__ == module.__name__ and module is not builtins:
                for inner, method in list(vars(value).items()):
                    if isinstance(_plain(method), (types.FunctionType, property)):
                        yield value, inner, method


class Watch:
    """Remembers the code of modules and the state of files, and tells what has changed since."""

    def __init__(self, prefixes, files):
        names = [name for name in sys.modules if name.split(".")[0] in prefixes]
        modules = [builtins] + [sys.modules[name] for name in names]
        # The values are kept, so that no other object can get their identity.
        self._code = [
            (owner, name, value, getattr(_plain(value), "__code__", None))
            for module in modules
            if isinstance(module, types.ModuleType)
            for owner, name, value in _parts(module)
            if not (owner is builtins and name in _FREE)
        ]
        self._files = {path: self._state(path) for path in files}

    @staticmethod
    def _state(path, stat=os.lstat):
        try:
            found = stat(path)
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def also(self, functions):
        """Watches functions of the tests too."""
        for function in functions:
            if isinstance(function, types.FunctionType):
                self._code.append((None, function.__qualname__, function, function.__code__))

    def changed_code(self):
        for owner, name, value, code in self._code:
            now = value if owner is None else vars(owner).get(name)
            if now is not value or getattr(_plain(now), "__code__", None) is not code:
                place = "" if owner is None else getattr(owner, "__name__", "") + "."
                return place + name
        return None

    def changed_file(self):
        for path, state in self._files.items():
            if self._state(path) != state:
                return path
        return None

    def tell(self, report, root):
        """Reports the first change; true when there was one."""
        code = self.changed_code()
        if code is not None:
            report.problem("denied", "The program replaced %s, which belongs to the tests or their runner." % code)
        path = self.changed_file()
        if path is not None:
            report.problem("denied", "The program changed %s, which belongs to the tests." % os.path.relpath(path, root))
        return code is not None or path is not None
