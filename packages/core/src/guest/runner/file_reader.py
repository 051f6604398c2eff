"""Python's own reader of program files, for the few that nothing else reads as it does."""

import ctypes
import functools
import os

# `Py_file_input`: what is read is a whole file.
_FILE_INPUT = 257


def reader_of(path):
    """What runs a file that holds a NUL, and takes the names of its module: only Python's own reader of files
    tells of it as it does, and before 3.11 leaves out what follows it in its line."""
    name = os.fsencode(path)
    opened = ctypes.CDLL(None).fopen
    opened.restype, opened.argtypes = ctypes.c_void_p, [ctypes.c_char_p] * 2
    run = ctypes.PyDLL(None).PyRun_FileExFlags
    run.restype = ctypes.py_object
    run.argtypes = [
        *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int),
        *(ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p),
    ]
    return functools.partial(run, opened(name, b'rb'), name, _FILE_INPUT)
