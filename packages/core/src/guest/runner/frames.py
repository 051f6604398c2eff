"""Frames between host and runner, and from a supervisor to its runner: length, type, id, payload."""

import collections
import json
import os
import struct
import time

MAGIC = b'\x00MENDLOOP-RUN-1\n'

EXECUTE, STDIN, STDIN_END, KILL, PREPARE, PAUSE, RESUME, TERMINATE = range(1, 9)
# From a supervisor to the desk: how it ended. From a program's own process: a descriptor that ends when
# another program starts in it; its workspace, as a descriptor; why it cannot start.
ENDED, WATCHED, ROOT, NOT_STARTED = 12, 13, 14, 15
HELLO, STARTED, STDOUT, STDERR, FILE, EXIT, READY, STDIN_TAKEN, GONE = range(16, 25)

# Made once: `dumps` makes one each time.
_json = json.JSONEncoder(separators=(',', ':'))
_HEAD = struct.Struct('<IBI')
_LENGTH = struct.Struct('<I')
# Of one writev; the kernel takes 1024.
_MOST_PIECES = 64
_MOST_AT_LEISURE_BYTES, _LEISURE_SECONDS = 4096, 0.001


def frame(kind, number, payload=b''):
    """One frame as bytes."""
    return _HEAD.pack(len(payload) + 5, kind, number) + payload


def encoded(value):
    """A JSON payload. ASCII, so that a lone surrogate stays what it is."""
    return _json.encode(value).encode('ascii')


def with_header(header, body=b''):
    """A payload of a JSON header, counted, and bytes after it."""
    head = encoded(header)
    return _LENGTH.pack(len(head)) + head + body


def split_header(payload):
    """The JSON header of a payload, and a view of the bytes after it."""
    view = memoryview(payload)
    (length,) = _LENGTH.unpack_from(view)
    return json.loads(bytes(view[4 : 4 + length])), view[4 + length :]


class FrameReader:
    """Frames out of bytes that arrive in pieces."""

    def __init__(self):
        self._buffer = bytearray()

    def feed(self, data):
        """The frames that are whole now, as (type, id, payload)."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= 9:
            length, kind, number = _HEAD.unpack_from(buffer)
            end = length + 4
            if len(buffer) < end:
                return
            with memoryview(buffer) as view:
                payload = bytes(view[9:end])
            del buffer[: max(end, 9)]
            yield kind, number, payload


class Outbox:
    """What is on its way to the host. Never blocks: a host that does not read can order a kill."""

    # Beyond this nothing more is read from the executions until the host has caught up.
    CONGESTED_BYTES = 1 << 19

    def __init__(self, descriptor):
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._pieces = collections.deque()
        self._size = 0
        # When it is to be handed over, if there is something.
        self._due = None
        self.blocked = False  # until the host reads again

    @property
    def patience(self):
        """Seconds until something is to be handed over, or None."""
        return None if self._due is None or self.blocked else self._due - time.monotonic()

    @property
    def congested(self):
        """True when the host has to read before more is taken from the executions."""
        return self._size >= self.CONGESTED_BYTES

    def send(self, kind, number, payload=b'', at_leisure=False):
        """Puts a frame in line. At leisure, more may come of the same execution: the host is woken once for
        all."""
        if at_leisure and self._due is None and len(payload) < _MOST_AT_LEISURE_BYTES:
            self._due = time.monotonic() + _LEISURE_SECONDS
        elif not at_leisure:
            self._due = 0.0
        head = _HEAD.pack(len(payload) + 5, kind, number)
        self.put(head if not payload else head + payload if len(payload) < 1024 else head)
        if len(payload) >= 1024:
            self.put(payload)

    def put(self, data):
        """Puts bytes in line."""
        if self._due is None:
            self._due = 0.0
        self._pieces.append(memoryview(data))
        self._size += len(data)

    def flush(self):
        """Hands over what is due, as far as the host takes it now. Raises BrokenPipeError when it is gone."""
        if self._due is None or self._due > time.monotonic():
            return
        self.blocked = False
        while self._pieces:
            few = [self._pieces[index] for index in range(min(len(self._pieces), _MOST_PIECES))]
            try:
                written = os.writev(self.descriptor, few)
            except BlockingIOError:
                self.blocked = True
                return
            self._size -= written
            while self._pieces and written >= len(self._pieces[0]):
                written -= len(self._pieces.popleft())
            if written:
                self._pieces[0] = self._pieces[0][written:]
        self._due = None
