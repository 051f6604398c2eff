"""Imports the candidate's files from the text that is to be judged, whatever lies in the workspace by now."""

import linecache
import os
import site
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader


def modules_of(paths):
    """Module name -> path, for every file that can be imported."""
    found = {}
    for path in paths:
        parts = path[:-3].split('/')
        name = '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)
        if name and (parts[-1] == '__init__' or name not in found):
            found[name] = path
    return found


class ProgramFiles:
    """A finder and loader over the text of files."""

    def __init__(self, files, folder):
        self._files = files
        self._folder = folder
        self._modules = modules_of(files)
        self._folders = {
            name.rsplit('.', depth)[0] for name in self._modules for depth in range(1, name.count('.') + 1)
        }
        for path, text in files.items():
            lines = text.splitlines(keepends=True)
            linecache.cache[self._place(path)] = (len(text), None, lines, self._place(path))

    def find_spec(self, name, path=None, target=None):
        file = self._modules.get(name)
        if file is None:
            if name not in self._folders:
                return None
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [self._place(name.replace('.', '/'))]
            return spec
        spec = spec_from_loader(
            name, self, origin=self._place(file), is_package=file.endswith('/__init__.py')
        )
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [os.path.dirname(spec.origin)]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        text = self.get_source(module.__name__)
        exec(compile(text, module.__spec__.origin, 'exec', dont_inherit=True), module.__dict__)

    def get_source(self, name):
        return self._files[self._modules[name]].lstrip('\ufeff')

    def is_package(self, name):
        return self._modules[name].endswith('/__init__.py')

    def _place(self, path):
        return os.path.join(self._folder, path)


def start_program(files, folder):
    """Makes this process look like one that runs a program in `folder`."""
    for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep):
        if entry:
            sys.path.insert(0, entry)
    sys.path.insert(0, folder)
    # An isolated interpreter leaves them out; the program's own run would have them.
    if os.path.isdir(site.getusersitepackages()):
        sys.path.append(site.getusersitepackages())
    sys.meta_path.insert(0, ProgramFiles(files, folder))
