"""Files into a fresh workspace, and out of it again without following anything that a program left there."""

import os
import stat

system = load('system')

PIECE_BYTES = 1 << 20
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


def put(root, files):
    """Writes files, each (path, bytes)."""
    for path, data in files:
        full = within(root, path)
        if '/' in path:
            os.makedirs(os.path.dirname(full), exist_ok=True)
        descriptor = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            system.write_all(descriptor, data)
        finally:
            os.close(descriptor)


class Collection:
    """What is taken out of a workspace once nobody lives in it any more."""

    def __init__(self, request, emit):
        self._missing = dict(request.files())
        self._files_left, self._bytes_left = request.collect
        self._entries_left = _MOST_ENTRIES
        self._emit = emit  # called with (path, size, offset, bytes)
        self._withheld = []
        self._links, self._special = [], []

    def as_report(self):
        """Files put in that were not found, and those that stay, as the host reads it."""
        kinds = {'links': self._links, 'special': self._special}
        return {'deleted': sorted(self._missing), 'withheld': self._withheld, **kinds}

    def steps(self, root):
        """Takes everything below an open folder, a little with each step."""
        try:
            # The program may have closed it.
            os.fchmod(root, 0o700)
        except OSError:
            pass
        return self._walk(root, '', 0)

    def _walk(self, folder, prefix, depth):
        names = yield from self._names_in(folder, prefix)
        for name in names:
            yield
            path = prefix + name
            if depth > _MOST_DEPTH:
                self._withhold(path)
                self._withhold_below(prefix)
                return
            kind = _kind_of(folder, name)
            if stat.S_ISDIR(kind):
                yield from self._enter(folder, name, path, depth)
            elif stat.S_ISLNK(kind):
                self._withhold(path, self._links)
            elif not stat.S_ISREG(kind):
                self._withhold(path, self._special if kind else None)
            elif not (yield from self._take(folder, name, path)):
                self._withhold(path)

    def _names_in(self, folder, prefix):
        """Those of them that may still be read, sorted. They count when they are read, since they are
        kept."""
        names = []
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    yield
                    if self._entries_left < 1:
                        self._withhold(prefix + entry.name)
                        self._withhold_below(prefix)
                        break
                    self._entries_left -= 1
                    names.append(entry.name)
        except OSError:
            self._withhold_below(prefix)
        names.sort()
        return names

    def _enter(self, folder, name, path, depth):
        try:
            # The program may have closed it; it is this user's all the same.
            os.chmod(name, 0o700, dir_fd=folder)
            inner = os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            self._withhold(path)
            self._withhold_below(path + '/')
            return
        try:
            yield from self._walk(inner, path + '/', depth + 1)
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
            size = found.st_size
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
                return False
            if before is not None and len(before) == size and (yield from _is_same(file, before)):
                return True
            if self._files_left < 1 or size > self._bytes_left:
                return False
            self._files_left -= 1
            self._bytes_left -= size
            yield from self._send(file, path, size)
            return True
        except OSError:
            return False
        finally:
            os.close(file)

    def _send(self, file, path, size):
        offset = 0
        while offset < size or offset == size == 0:
            yield
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

    def _withhold(self, path, among=None):
        self._missing.pop(path, None)
        if len(self._withheld) < _MOST_WITHHELD:
            self._withheld.append(path)
            if among is not None:
                among.append(path)


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


def _is_same(file, data):
    for offset in range(0, len(data), PIECE_BYTES):
        yield
        piece = data[offset : offset + PIECE_BYTES]
        if os.pread(file, len(piece), offset) != piece:
            return False
    return True
