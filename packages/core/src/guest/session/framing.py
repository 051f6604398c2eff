"""Frames between the host, the control process and the worker: length of what follows, type, id, payload."""

import json
import os
import struct

HEAD = struct.Struct('<IBI')
MOST_BYTES = 64 * 1024 * 1024
MAGIC = b'\x00MENDLOOP-RUN-1\n'

# Down: from the host to the control process, and on to the worker.
RUN, INTERRUPT, REPLACE, REPLY = 1, 2, 3, 4
# Up. STARTED goes no further than the control process: from then on an interrupt reaches the cell.
HELLO, READY, STDOUT, STDERR, DISPLAY, DONE, DIED, CALL = 16, 17, 18, 19, 20, 21, 22, 23
STARTED = 24


class Malformed(Exception):
    """What came is no frame."""


def pack(kind, number, payload=b''):
    """One frame as bytes."""
    return HEAD.pack(5 + len(payload), kind, number) + payload


def as_json(value):
    """A value as JSON in bytes; ASCII, so that nothing in a text can fail to be encoded."""
    return json.dumps(value, separators=(',', ':')).encode('ascii')


def write_all(descriptor, data):
    """Writes all of it, however little the system takes at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Frames:
    """Takes bytes as they come and gives the frames that are complete."""

    def __init__(self, most=MOST_BYTES):
        self.waiting = bytearray()
        self.most = most

    def feed(self, data):
        """Every frame that `data` completes."""
        self.waiting += data
        start, frames = 0, []
        while len(self.waiting) - start >= HEAD.size:
            length, kind, number = HEAD.unpack_from(self.waiting, start)
            if not 5 <= length <= self.most:
                raise Malformed('a frame of %d bytes' % length)
            end = start + 4 + length
            if len(self.waiting) < end:
                break
            frames.append((kind, number, bytes(self.waiting[start + HEAD.size : end])))
            start = end
        del self.waiting[:start]
        return frames
