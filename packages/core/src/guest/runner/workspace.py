"""Files into a fresh workspace, and out of it again without following anything that a program left there."""

import os
import stat

try:
    # Without the megabytes of OpenSSL that `hashlib` loads.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

PIECE_BYTES = 1 << 20
_UNLIKELY_NAME = os.urandom(12).hex()
_MOST_DEPTH = 64
_MOST_ENTRIES = 100000
_MOST_WITHHELD = 1000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def within(root, path):
    """Absolute path of something in the workspace."""
    if path.startswith('/') or '..' in path.split('/'):
        raise ValueError('the path %r is not within the workspace' % path)
    return os.path.join(root, path) if path else root


def put(root, files, compared):
    """Writes files, each (path, bytes); returns digests by path when they are to be `compared`."""
    digests = {}
    for path, data in files:
        full = within(root, path)
        if '/' in path:
            os.makedirs(os.path.dirname(full), exist_ok=True)
        descriptor = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
        if compared:
            digests[path] = blake2b(data, digest_size=16).hexdigest()
    return digests


def write_all(descriptor, data):
    """Writes all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class Collection:
    """What is taken out of a workspace once nobody lives in it any more."""

    def __init__(self, digests, most_files, most_bytes, emit):
        self._missing = dict(digests)
        self._files_left = most_files
        self._bytes_left = most_bytes
        self._entries_left = _MOST_ENTRIES
        self._emit = emit  # called with (path, size, offset, bytes)
        self.withheld = []

    def walk(self, folder, prefix='', depth=0):
        """Everything below the open folder."""
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            self._withhold_below(prefix)
            return
        for name in names:
            self._entries_left -= 1
            path = prefix + name
            if self._entries_left < 0 or depth > _MOST_DEPTH:
                self._withhold(path)
                self._withhold_below(prefix)
                return
            kind = _kind_of(folder, name)
            if stat.S_ISDIR(kind):
                self._enter(folder, name, path, depth)
            elif not stat.S_ISREG(kind) or not self._take(folder, name, path):
                self._withhold(path)

    @property
    def deleted(self):
        """Files put in that were not found."""
        return sorted(self._missing)

    def _enter(self, folder, name, path, depth):
        try:
            # The program may have closed it; it is this user's all the same.
            inner = _open_writable(folder, name)
        except OSError:
            self._withhold(path)
            self._withhold_below(path + '/')
            return
        try:
            self.walk(inner, path + '/', depth + 1)
        finally:
            os.close(inner)

    def _take(self, folder, name, path):
        """Sends one file, when it is new or changed; false when it has to stay."""
        before = self._missing.pop(path, None)
        try:
            path.encode()
            file = os.open(name, _FILE, dir_fd=folder)
        except (OSError, UnicodeEncodeError):
            return False
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
                return False
            if before is not None and before == _digest(file):
                return True
            if self._files_left < 1 or found.st_size > self._bytes_left:
                return False
            self._files_left -= 1
            self._bytes_left -= found.st_size
            self._send(file, path, found.st_size)
            return True
        except OSError:
            return False
        finally:
            os.close(file)

    def _send(self, file, path, size):
        offset = 0
        while offset < size or offset == size == 0:
            wanted = min(PIECE_BYTES, size - offset)
            # Of a file that shrinks meanwhile the size that was announced is kept to.
            piece = _read(file, wanted, offset).ljust(wanted, b'\0')
            self._emit(path, size, offset, piece)
            offset += len(piece)
            if size == 0:
                return

    def _withhold_below(self, prefix):
        """Nobody has looked at these, so none of them is known to be gone."""
        for path in [one for one in self._missing if one.startswith(prefix)]:
            self._withhold(path)

    def _withhold(self, path):
        self._missing.pop(path, None)
        if len(self.withheld) < _MOST_WITHHELD:
            self.withheld.append(os.fsencode(path).decode('utf-8', 'replace'))


def _kind_of(folder, name):
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0


def _read(file, count, offset):
    try:
        return os.pread(file, count, offset)
    except OSError:
        return b''


def _digest(file):
    digest = blake2b(digest_size=16)
    offset = 0
    while True:
        piece = os.pread(file, PIECE_BYTES, offset)
        if not piece:
            return digest.hexdigest()
        digest.update(piece)
        offset += len(piece)


def remove(path):
    """Removes a folder with all that is in it."""
    empty(path)
    try:
        os.rmdir(path)
    except OSError:
        pass


def empty(path):
    """Makes a folder as new: what is in it may be unreadable, or deeper than anything can recurse."""
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return
        os.chmod(path, 0o700)
        for name in os.listxattr(path, follow_symlinks=False):
            os.removexattr(path, name, follow_symlinks=False)
        top = os.open(path, _FOLDER)
    except OSError:
        return
    try:
        count, before = 0, None
        while True:
            folders = _strip(top)
            if not folders or folders == before:
                return
            before = folders
            for name in folders:
                count = _flatten(top, name, count)
    finally:
        os.close(top)


def _strip(folder):
    """Unlinks all but the folders; returns their names."""
    folders = []
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):
            folders.append(name)
        except OSError:
            pass
    return folders


def _flatten(top, name, count):
    """Removes one folder of `top`, moving the folders in it up, under names that are not taken."""
    try:
        inner = _open_writable(top, name)
        try:
            for sub in _strip(inner):
                os.close(_open_writable(inner, sub))
                count += 1
                os.rename(sub, '%s-%d' % (_UNLIKELY_NAME, count), src_dir_fd=inner, dst_dir_fd=top)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    except OSError:
        pass
    return count


def _open_writable(folder, name):
    os.chmod(name, 0o700, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)
