"""The lines between the runner's processes: messages with descriptors one way, frames the other."""

import struct

# The half of `socket` that is needed, without what the whole of it imports.
import _socket

# Descriptors of a supervisor, after the standard ones of its program: its end, and then the slots of cgroups.
NUMBER, FIRST_SLOT = 3, 4

# What a supervisor is sent: what it is to begin, that it is a spare, that files have been collected.
BEGIN, SPARE, COLLECTED = 1, 2, 3
# What the zygote is sent, and its answers.
FORK, PREPARE = 1, 2
FORKED, NOT_FORKED, PREPARED = 1, 2, 3
# Not asked for: the zygote goes on under another number.
MOVED = 4

_HEAD = struct.Struct('<BI')
_MOST_DESCRIPTORS = 4


def pair():
    """Both ends, which no program inherits."""
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)


def end(descriptor):
    """An end that is held as a descriptor."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)


def send(line, kind, payload=b'', descriptors=()):
    """Sends a message of a kind, a number below 256."""
    rights = []
    if descriptors:
        packed = struct.pack('%di' % len(descriptors), *descriptors)
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)]
    message = memoryview(_HEAD.pack(kind, len(payload)) + payload)
    sent = line.sendmsg([message], rights)
    if sent < len(message):
        line.sendall(message[sent:])


def receive(line):
    """The next (kind, payload, descriptors); None when there will be none."""
    room = _socket.CMSG_SPACE(_MOST_DESCRIPTORS * 4)
    head, rights, _, _ = line.recvmsg(_HEAD.size, room, _socket.MSG_CMSG_CLOEXEC)
    descriptors = ()
    if rights:
        packed = rights[0][2]
        descriptors = struct.unpack('%di' % (len(packed) // 4), packed)
    payload = None
    if len(head) == _HEAD.size:
        kind, length = _HEAD.unpack(head)
        payload = _exactly(line, length)
    return None if payload is None else (kind, payload, descriptors)


def _exactly(line, count):
    data = bytearray(count)
    view = memoryview(data)
    while view:
        taken = line.recv_into(view)
        if not taken:
            return None
        view = view[taken:]
    return bytes(data)
