"""Empties and removes folders without reading a name in them.

A supervisor empties the workspace of one program and forks the next, which could find the names in its
memory. So they stay where the kernel has written them, are handed back to it as addresses, and are gone with
their pages.
"""

import ctypes
import errno
import itertools
import mmap
import os
import stat

system = load('system')

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_REMOVE_FOLDER = 0x200
_ROOM_BYTES = 1 << 15
# Of an entry: where its length, its kind and its name are.
_LENGTH, _KIND, _NAME = 16, 18, 19
_IS_FOLDER = 4
_DOT = ord('.')

_libc = ctypes.PyDLL(None, use_errno=True)
_libc.unlinkat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
_libc.openat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
_libc.fchmodat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int]
_libc.renameat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p]
_libc.flistxattr.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
_libc.flistxattr.restype = ctypes.c_ssize_t
_libc.fremovexattr.argtypes = [ctypes.c_int, ctypes.c_void_p]


def remove(path):
    """Removes a folder with all that is in it. Raises PermissionError when one above it is closed."""
    empty(path)
    try:
        os.rmdir(path)
    except OSError:
        pass


def empty(*paths):
    """Makes folders as new: what is in them may be unreadable, or deeper than anything can recurse. Raises
    PermissionError when one above them is closed."""
    names = _Names()
    try:
        for path in paths:
            _empty(path, names)
    finally:
        names.forget()


def _empty(path, names):
    try:
        top = _opened(path)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        os.unlink(path)
        return
    # Not taken: whoever could have taken one is dead by now.
    spare_names = (b'%s-%d' % (os.urandom(8).hex().encode(), number) for number in itertools.count())
    inner = _Names()
    try:
        names.remove_attributes(top)
        # What is in a folder of it comes up, until there are none.
        while sum([_remove_entry(top, *entry, inner, spare_names) for entry in names.of(top)]):
            pass
    finally:
        inner.forget()
        os.close(top)


def _opened(path):
    """A folder with all rights of this user on it."""
    try:
        top = os.open(path, _FOLDER)
    except PermissionError:
        os.chmod(path, 0o700)
        top = os.open(path, _FOLDER)
    if stat.S_IMODE(os.fstat(top).st_mode) != 0o700:
        os.fchmod(top, 0o700)
    return top


def _remove_entry(top, name, kind, names, spare_names):
    """Removes one entry of `top`. Folders in it that are not empty move up; returns how many did."""
    moved = 0
    if _is_removed(top, name, kind):
        return moved
    folder = _surely(top, name, _libc.openat, top, name, _FOLDER)
    if folder < 0:
        return moved
    if os.fstat(folder).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(folder, stat.S_IRWXU)
    for one, kind in names.of(folder):
        if not _is_removed(folder, one, kind):
            # Moving a folder needs the right to write in it.
            moved += _surely(folder, one, _libc.renameat, folder, one, top, next(spare_names)) == 0
    os.close(folder)
    _libc.unlinkat(top, name, _REMOVE_FOLDER)
    return moved


def _is_removed(folder, name, kind):
    if kind != _IS_FOLDER and _libc.unlinkat(folder, name, 0) == 0:
        return True
    # Some file systems do not tell kinds.
    return kind in (_IS_FOLDER, 0) and _libc.unlinkat(folder, name, _REMOVE_FOLDER) == 0


def _surely(folder, name, call, *arguments):
    """Calls again with all rights on a folder, where it has been closed. Not at once: a change of rights is
    written to the disk."""
    result = call(*arguments)
    if result < 0 and ctypes.get_errno() == errno.EACCES:
        _libc.fchmodat(folder, name, 0o700, 0)
        result = call(*arguments)
    return result


class _Names:
    """Room for names, once it is used. What is given out are addresses of them."""

    def __init__(self):
        self._room = self._address = None

    def _make_room(self):
        if self._room is None:
            self._room = mmap.mmap(-1, _ROOM_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._room))

    def forget(self):
        """Gives the pages back."""
        if self._room is not None:
            self._room.close()

    def of(self, folder):
        """The names in an open folder, each good until the next is asked for, with their kinds."""
        os.lseek(folder, 0, os.SEEK_SET)
        self._make_room()
        room = self._room
        while True:
            size = system.list_folder(folder, self._address, _ROOM_BYTES)
            if size <= 0:
                return
            at = 0
            while at < size:
                length = room[at + _LENGTH] | room[at + _LENGTH + 1] << 8
                if not self._is_dots(at + _NAME):
                    yield self._address + at + _NAME, room[at + _KIND]
                at += length

    def _is_dots(self, at):
        room = self._room
        return room[at] == _DOT and (not room[at + 1] or room[at + 1] == _DOT and not room[at + 2])

    def remove_attributes(self, folder):
        """Removes the attributes of an open folder."""
        self._make_room()
        size = _libc.flistxattr(folder, self._address, _ROOM_BYTES)
        at = 0
        while at < size:
            _libc.fremovexattr(folder, self._address + at)
            at = self._room.find(b'\0', at) + 1
