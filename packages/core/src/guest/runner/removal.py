"""Empties and removes folders whatever is in them: unreadable, or deeper than anything can recurse."""

import itertools
import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def steps(path):
    """Makes a folder as new, a little with each step; returns whether it is. Raises PermissionError when one
    above it is closed."""
    try:
        top = _opened(path)
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        os.unlink(path)
        return True
    try:
        _remove_attributes(top)
        return (yield from _empty(top))
    finally:
        os.close(top)


def _opened(path, parent=None):
    """A folder with all rights of this user on it."""
    try:
        folder = os.open(path, _FOLDER, dir_fd=parent)
    except PermissionError:
        os.chmod(path, 0o700, dir_fd=parent)
        folder = os.open(path, _FOLDER, dir_fd=parent)
    # Not always: a change of rights is written to the disk.
    if stat.S_IMODE(os.fstat(folder).st_mode) != 0o700:
        os.fchmod(folder, 0o700)
    return folder


def _remove_attributes(folder):
    try:
        for name in os.listxattr(folder):
            os.removexattr(folder, name)
    except OSError:
        # Not on each file system.
        pass


def _empty(top):
    # Not taken: whoever could have taken one is dead by now.
    names = ('%s-%d' % (os.urandom(8).hex(), number) for number in itertools.count())
    while True:
        left = changes = 0
        with os.scandir(top) as entries:
            for entry in entries:
                yield
                is_gone, has_changed = yield from _remove(top, entry, names)
                left += not is_gone
                changes += has_changed
        # What is in a folder comes up, until there are none.
        if not changes:
            return not left


def _remove(top, entry, names):
    """Removes an entry of `top`; returns whether it is gone, and whether anything has changed."""
    if _is_removed(top, entry):
        return True, True
    if not entry.is_dir(follow_symlinks=False):
        return False, False
    changes = 0
    try:
        folder = _opened(entry.name, top)
    except OSError:
        return False, False
    try:
        with os.scandir(folder) as entries:
            for one in entries:
                yield
                changes += _is_removed(folder, one) or _comes_up(folder, one.name, top, next(names))
    finally:
        os.close(folder)
    is_gone = _is_removed(top, entry)
    return is_gone, is_gone or changes > 0


def _is_removed(folder, entry):
    remove = os.rmdir if entry.is_dir(follow_symlinks=False) else os.unlink
    try:
        remove(entry.name, dir_fd=folder)
    except OSError:
        return False
    return True


def _comes_up(folder, name, top, new_name):
    """Moves a folder into `top`, which needs the right to write in it."""
    try:
        try:
            os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=top)
        except PermissionError:
            os.chmod(name, 0o700, dir_fd=folder)
            os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=top)
    except OSError:
        return False
    return True
