"""Gives the tests a stand-in where they import one of the candidate's modules, and the judge's own module
elsewhere."""

import ast
import builtins
import importlib
import importlib.util
import os
import sys
import types

standins = load('standins')
modules_of = load('program_files').modules_of

# Libraries that tests lean on to decide: never the candidate's, even where they are not installed.
LIBRARIES = frozenset(
    'pytest _pytest hypothesis nose mock numpy pandas scipy sympy torch sklearn matplotlib'.split()
)


class Conflict(ImportError):
    """A file of the program has the name of a library that the tests import."""


# Shown by its base: the name would tell the model nothing.
Conflict.__qualname__, Conflict.__module__ = 'ImportError', 'builtins'


def is_library(error):
    """True when a library that the tests lean on is not installed, which is not the candidate's fault."""
    return not isinstance(error, Conflict) and (error.name or '').partition('.')[0] in LIBRARIES


class StandInFinder:
    def __init__(self, link, paths, folder):
        self._link = link
        found = set(modules_of([*paths, *_modules_on_disk(folder)]))
        # With a file of its own, or an `__init__`, a name would hide a library; a plain folder would not.
        self._hiding = {name.partition('.')[0] for name in found if '.' not in name}
        self._folders = {name.partition('.')[0] for name in found} - self._hiding
        self._installed = {}
        self.modules = {}
        self.not_imported = []

    def find_spec(self, name, path=None, target=None):
        top = name.partition('.')[0]
        self._refuse_conflict(top)
        if top not in self._hiding and (top not in self._folders or self._is_installed(top)):
            return None
        return importlib.util.spec_from_loader(name, self)

    def refuse_conflicts(self, tree):
        """Also for modules that this process has loaded already, for which no finder is asked."""
        for node in ast.walk(tree):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else (
                    [node.module]
                    if isinstance(node, ast.ImportFrom) and node.module and not node.level
                    else []
                )
            )
            for name in names:
                self._refuse_conflict(name.partition('.')[0])

    def _refuse_conflict(self, top):
        if top in self._hiding and (self._is_installed(top) or top in LIBRARIES):
            raise Conflict(
                'the program has a file named %s, which is also the name of a library that the tests import; '
                'give the file another name' % top,
                name=top,
            )

    def is_programs(self, name):
        """True for a module that the program has, or has taken the name of."""
        return name.partition('.')[0] in self._hiding | self._folders

    def import_of_program(self, error):
        """For a skip by `pytest.importorskip`: what is wrong with the module, where it is the program's to have. Else
        None."""
        step = None if error is None else error.__traceback__
        while step is not None:
            frame = step.tb_frame
            if frame.f_code.co_name == 'importorskip' and frame.f_globals.get('__name__') == '_pytest.outcomes':
                name = str(frame.f_locals.get('modname'))
                return self._import_error(name, error) if self.is_programs(name) else None
            step = step.tb_next
        return None

    def _import_error(self, name, skip):
        try:
            importlib.import_module(name)
        except BaseException as error:
            return error
        return ImportError(str(skip), name=name)

    def create_module(self, spec):
        number, names, path, is_package = self._link.ask('import', spec.name)
        if is_package:
            spec.submodule_search_locations = []
        module = standins.StandInModule(spec.name, self._link, number, tuple(names), path)
        self.modules[spec.name] = module
        return module

    def exec_module(self, module):
        """It ran where it lives."""

    def import_all(self, name, namespace, wanted):
        """`from name import *`, except that nothing of the candidate's hides a builtin or what the tests
        have already."""
        module = importlib.import_module(name)
        if not isinstance(module, standins.StandInModule):
            names = getattr(module, '__all__', None) or [
                one for one in vars(module) if not one.startswith('_')
            ]
            namespace.update((one, getattr(module, one)) for one in names)
            return
        for one in module._mendloop_names:
            if wanted is not None and one not in wanted or one in namespace:
                continue
            if one in vars(builtins):
                self.not_imported.append(one)
                continue
            value = getattr(module, one)
            if isinstance(value, standins.Handle) and type(value)._mendloop_looks is types.ModuleType:
                value = self._own_module(self._link.ask('module', value))
                if value is None:
                    continue
            namespace[one] = value

    def _own_module(self, name):
        if type(name) is not str or self.is_programs(name):
            return None
        try:
            return importlib.import_module(name)
        except (ImportError, ValueError):
            return None

    def _is_installed(self, top):
        if top not in self._installed:
            others = [finder for finder in sys.meta_path if finder is not self]
            specs = (finder.find_spec(top, None) for finder in others if hasattr(finder, 'find_spec'))
            self._installed[top] = any(spec is not None and spec.loader is not None for spec in specs)
        return self._installed[top]


def _modules_on_disk(folder):
    """The task's own modules, as they are before any of the candidate's code has run."""
    for name in os.listdir(folder):
        if name.endswith('.py'):
            yield name
        elif name.isidentifier() and os.path.isdir(os.path.join(folder, name)):
            inner = os.listdir(os.path.join(folder, name))
            if '__init__.py' in inner:
                yield name + '/__init__.py'
            elif any(one.endswith('.py') for one in inner):
                yield name + '/_.py'
