"""What the desk collects of a program that has ended."""

import os
import time

collection = load('collection')

# For so long it goes on when nobody waits any more: mostly that is enough for all of it.
_GRACE_SECONDS = 0.3


def steps(root, asked, emit, is_unwanted):
    """Collects in steps what is in the open folder `root`, a little with each, until it `is_unwanted`;
    returns what the end of the execution says of it."""
    one = collection.Collection(asked, emit)
    walk = one.steps(root)
    identity, until = _identity(root), None
    while True:
        if is_unwanted():
            until = time.monotonic() + _GRACE_SECONDS if until is None else until
            # An execution that has been given up closes its folder: by now the number may be another's.
            if time.monotonic() >= until or _identity(root) != identity:
                walk.close()
                one.stop()
                break
        try:
            next(walk)
        except StopIteration:
            break
        yield
    return one.as_report()


def _identity(folder):
    try:
        found = os.fstat(folder)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_full(root):
    """True when a folder in memory, open as `root`, takes nothing more."""
    try:
        found = os.fstatvfs(root)
    except OSError:
        return False
    return found.f_bavail == 0 or found.f_ffree == 0
