"""What a program has left in its workspace, taken out without following anything in it."""

import os
import stat

_PIECE_BYTES = 1 << 20
_MOST_DEPTH = 64
# Files, links and folders; what their names take as JSON; places that are named.
_MOST_ENTRIES, _MOST_NAME_BYTES, _MOST_PLACES = 100000, 8 << 20, 100
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ALL = '.'


class Collection:
    """What is taken out of a workspace once nobody lives in it any more."""

    def __init__(self, request, emit):
        self._missing = dict(request.files())
        self._files_left, self._bytes_left, self._first = request.collect
        self._entries_left, self._name_bytes_left = _MOST_ENTRIES, _MOST_NAME_BYTES
        self._emit = emit  # called with (path, size, offset, bytes)
        self._withheld = []
        self._links, self._special = [], []
        # What was looked at first, and is not to be looked at again.
        self._known = set()
        self._is_first = False
        self._unseen = {}  # reason by path

    def as_report(self):
        """Files put in that were not found, those that stay, and what was not looked at, as the host reads
        it."""
        unseen = sorted(self._unseen.items())
        if len(unseen) > _MOST_PLACES:
            unseen = [(_ALL, unseen[0][1])]
        return {
            'deleted': sorted(self._missing),
            'withheld': self._withheld,
            'links': self._links,
            'special': self._special,
            'unseen': [{'path': path, 'reason': reason} for path, reason in unseen],
        }

    def stop(self):
        """No more steps are taken. What is not known by now is not known to be gone either."""
        self._missing.clear()
        self._unseen = {_ALL: 'aborted'}

    def steps(self, root):
        """Takes everything below an open folder, a little with each step: first what was asked for by name,
        so that nothing else uses up what there is room for."""
        try:
            # The program may have closed it.
            os.fchmod(root, 0o700)
        except OSError:
            pass
        self._is_first = True
        for path in self._first:
            yield from self._find(root, path)
        self._is_first = False
        yield from self._walk(root, '', 0)

    def _find(self, root, path):
        """Takes what is at a path of several names, if there is anything."""
        folder, _, name = path.rpartition('/')
        try:
            inner = _opened_below(root, folder)
        except OSError:
            return
        try:
            yield
            if _kind_of(inner, name):
                yield from self._look(inner, name, path, path.count('/'))
        finally:
            os.close(inner)

    def _walk(self, folder, prefix, depth):
        names = yield from self._names_in(folder, prefix)
        for name in names:
            yield
            yield from self._look(folder, name, prefix + name, depth)

    def _names_in(self, folder, prefix):
        """Those of them that may still be read, sorted. They count when they are read, since they are
        kept."""
        names = []
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    yield
                    if prefix + entry.name in self._known:
                        continue
                    if self._entries_left < 1:
                        self._leave_out(prefix, 'too-many')
                        break
                    self._entries_left -= 1
                    names.append(entry.name)
        except OSError:
            self._leave_out(prefix, 'closed')
        names.sort()
        return names

    def _look(self, folder, name, path, depth):
        if path in self._known:
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
        if self._is_first:
            self._known.add(path)

    def _enter(self, folder, name, path, depth):
        if depth >= _MOST_DEPTH:
            self._leave_out(path + '/', 'too-deep')
            return
        try:
            inner = _opened(folder, name)
        except OSError:
            self._leave_out(path + '/', 'closed')
            return
        try:
            yield from self._walk(inner, path + '/', depth + 1)
        finally:
            os.close(inner)

    def _take(self, folder, name, path):
        """Sends one file, when it is new or changed; false when it has to stay."""
        before = self._missing.pop(path, None)
        try:
            file = os.open(name, _FILE, dir_fd=folder)
        except OSError:
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
            try:
                yield
            except GeneratorExit:
                # The host forgets what it has of a file that stays.
                self._withhold(path)
                raise
            wanted = min(_PIECE_BYTES, size - offset)
            # Of a file that shrinks meanwhile the size that was announced is kept to.
            piece = _read(file, wanted, offset).ljust(wanted, b'\0')
            self._emit(path, size, offset, piece)
            offset += len(piece)
            if size == 0:
                return

    def _leave_out(self, prefix, reason):
        """Nobody has looked at what is below, so none of it is known to be gone."""
        self._unseen[prefix[:-1] or _ALL] = reason
        for path in [one for one in self._missing if one.startswith(prefix)]:
            del self._missing[path]

    def _withhold(self, path, among=None):
        self._missing.pop(path, None)
        self._name_bytes_left -= len(path) if path.isascii() else 6 * len(path)
        if self._name_bytes_left < 0:
            self._unseen[_ALL] = 'too-many'
            return
        self._withheld.append(path)
        if among is not None:
            among.append(path)


def _opened(folder, name):
    # The program may have closed it; it is this user's all the same.
    os.chmod(name, 0o700, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def _opened_below(root, path):
    """A folder by its path, of which no name is followed when it is a link."""
    folder = os.dup(root)
    for name in path.split('/') if path else ():
        try:
            if not stat.S_ISDIR(_kind_of(folder, name)):
                raise NotADirectoryError(name)
            inner = _opened(folder, name)
        finally:
            os.close(folder)
        folder = inner
    return folder


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
    for offset in range(0, len(data), _PIECE_BYTES):
        yield
        piece = data[offset : offset + _PIECE_BYTES]
        if os.pread(file, len(piece), offset) != piece:
            return False
    return True
