"""Frames between the judge and the candidate: a length, then JSON. Either side may be fed by an enemy."""

import json
import os
import select

MAX_FRAME_BYTES = 64 << 20
SLOW_MS = 500
CHUNK_BYTES = 1 << 16

# No ASCII escapes: two lone surrogates written as escapes would come back as one character.
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(',', ':')).encode
_decode = json.JSONDecoder().decode


class Closed(Exception):
    """The other side is gone."""


class Broken(Exception):
    """The other side sent something that is no message."""


class Channel:
    """One end of the wire. Messages alternate, so nothing may follow a message that was just read."""

    def __init__(self, read_fd, write_fd, peer_pid=None):
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._peer_pid = peer_pid
        # A descendant of the peer can hold the pipe open after the peer's death; its pidfd tells.
        self._peer_fd = _pidfd(peer_pid)
        # Called once for an answer that takes long.
        self.on_slow = None
        self._poll = None
        if self._peer_fd is not None:
            self._poll = select.poll()
            self._poll.register(read_fd, select.POLLIN)
            self._poll.register(self._peer_fd, select.POLLIN)
        # Bound now: a candidate may replace these functions in its own process.
        self._write, self._read = os.write, os.read

    def send(self, message):
        body = _encode(message).encode('utf-8', 'surrogatepass')
        data = memoryview(len(body).to_bytes(4, 'big') + body)
        try:
            while data:
                data = data[self._write(self._write_fd, data) :]
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self):
        data = bytearray(self._chunk(CHUNK_BYTES))
        while len(data) < 4:
            data += self._chunk(CHUNK_BYTES)
        size = int.from_bytes(data[:4], 'big')
        if size > MAX_FRAME_BYTES:
            raise Broken('a message of %d bytes' % size)
        while len(data) < size + 4:
            data += self._chunk(min(size + 4 - len(data), 1 << 20))
        if len(data) > size + 4:
            raise Broken('two messages where one was due')
        try:
            message = _decode(data[4:].decode('utf-8', 'surrogatepass'))
        except (ValueError, RecursionError) as error:
            raise Broken('not JSON: %s' % error) from None
        if type(message) is not list or len(message) < 2 or type(message[0]) is not str:
            raise Broken('not a message')
        return message

    def peer_status(self):
        """How the peer ended, as `os.waitpid` says it; None while it runs."""
        if self._peer_fd is not None:
            # Its pipe closes a moment before its end can be asked for.
            end = select.poll()
            end.register(self._peer_fd, select.POLLIN)
            end.poll(500)
        try:
            pid, status = os.waitpid(self._peer_pid, os.WNOHANG)
        except ChildProcessError:
            return None
        return None if pid == 0 else status

    def _chunk(self, limit):
        if self._poll is not None:
            ready = self._poll.poll(SLOW_MS if self.on_slow is not None else None)
            if not ready:
                self.on_slow()
                ready = self._poll.poll()
            if all(fd != self._read_fd for fd, _ in ready):
                raise Closed('the process ended')
        try:
            chunk = self._read(self._read_fd, limit)
        except OSError as error:
            raise Closed(str(error)) from None
        if not chunk:
            raise Closed('the process ended')
        return chunk


def _pidfd(pid):
    """A descriptor that becomes readable when the process ends, or None where the system has no such
    thing."""
    try:
        return None if pid is None else os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
