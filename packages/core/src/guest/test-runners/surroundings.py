# Puts the process into the state in which tests are run: files in place and read-only, no bytecode that somebody left.
import os
import sys


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
        if is_programs(traceback.tb_frame.f_code.co_filename, root, files):
            return True
        traceback = traceback.tb_next
    return False
