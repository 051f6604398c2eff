"""What the desk collects of a program that has ended."""

import os

workspace = load('workspace')


def steps(root, asked, emit, is_unwanted):
    """Collects in steps what is in the open folder `root`, a little with each, until it `is_unwanted`;
    returns what the end of the execution says of it."""
    collection = workspace.Collection(asked, emit)
    for _ in collection.steps(root):
        if is_unwanted():
            return {}
        yield
    return collection.as_report()


def is_full(root):
    """True when a folder in memory, open as `root`, takes nothing more."""
    try:
        found = os.fstatvfs(root)
    except OSError:
        return False
    return found.f_bavail == 0 or found.f_ffree == 0
