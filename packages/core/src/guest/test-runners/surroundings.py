# Puts the process into the state in which tests are run: files in place and read-only, no bytecode that somebody left.
import importlib._bootstrap
import importlib._bootstrap_external
import os
import sys
import types


def _codes(module):
    """Code of the functions and methods of a module."""
    for holder in [module, *(one for one in vars(module).values() if isinstance(one, type))]:
        for value in vars(holder).values():
            function = getattr(value, "__func__", value)
            if isinstance(function, types.FunctionType):
                yield function.__code__


# What imports has no file; it stands between the file of a test that skips itself and the runner.
_IMPORTING = [*_codes(importlib._bootstrap), *_codes(importlib._bootstrap_external)]
_IMPORTING_IDS = {id(code) for code in _IMPORTING}


def prepare(orders):
    """Returns the workspace and the addresses of the files that were handed in."""
    root = os.getcwd()
    files = [os.path.join(root, path) for path in orders["files"]]
    for path in files:
        os.chmod(path, 0o444)
    # Bytecode in the workspace is the program's: it could stand for other tests than are in the file.
    sys.dont_write_bytecode = True
    sys.pycache_prefix = os.path.join(root, ".no-bytecode", orders["nonce"])
    return root, files


def is_programs(filename, root, files):
    """Whether code of that file is the program's: below the workspace, and not handed in with the tests."""
    path = os.path.realpath(os.path.join(root, filename))
    inside = path.startswith(os.path.realpath(root) + os.sep)
    return inside and path not in {os.path.realpath(one) for one in files}


def raised_by_program(traceback, root, files):
    """Whether the exception came out of the program's code."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if id(code) not in _IMPORTING_IDS and is_programs(code.co_filename, root, files):
            return True
        traceback = traceback.tb_next
    return False
