"""The lines between the runner's processes: messages with descriptors one way, frames the other."""

import errno
import os
import struct

# The half of `socket` that is needed, without what the whole of it imports.
import _socket

# Descriptors of a supervisor, after the standard ones of its program: its end, and then the slots of cgroups.
NUMBER, FIRST_SLOT = 3, 4

# What a supervisor is sent: the name of its folder. What its forks are to begin, they receive themselves.
NAME, BEGIN = 1, 2
# What the zygote is sent, and its answers.
FORK, PREPARE = 1, 2
FORKED, NOT_FORKED, PREPARED = 1, 2, 3
# Not asked for: the zygote goes on under another number.
MOVED = 4

_HEAD = struct.Struct('<BI')
_MOST_DESCRIPTORS = 4
# MSG_DONTWAIT
_DO_NOT_WAIT = 0x40


def pair():
    """Both ends, which no program inherits."""
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)


def end(descriptor):
    """An end that is held as a descriptor."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)


def send(line, kind, payload=b'', descriptors=()):
    """Sends a message of a kind, a number below 256."""
    _send(line, _HEAD.pack(kind, len(payload)) + payload, descriptors)


def hand_over(line, data, descriptor):
    """Sends bytes, and a descriptor with them."""
    _send(line, data, (descriptor,))


def _send(line, data, descriptors):
    rights = []
    if descriptors:
        packed = struct.pack('%di' % len(descriptors), *descriptors)
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)]
    try:
        sent = line.sendmsg([data], rights)
    except OSError as error:
        if error.errno == errno.ETOOMANYREFS:
            # Those on their way are counted like open ones.
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE)) from None
        raise
    if sent < len(data):
        line.sendall(memoryview(data)[sent:])


def wait(line):
    """Waits until there is something to receive; false when there will be nothing."""
    return line.recv(1, _socket.MSG_PEEK) != b''


def is_silent(line):
    """True when nothing has been said that nobody has read, and the other end is there."""
    try:
        line.recv(1, _socket.MSG_PEEK | _DO_NOT_WAIT)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def receive_some(line, most, spare):
    """The bytes of frames that are there, and what came with them: a descriptor or None, for which there is
    room when one of the descriptors in `spare` is closed for it. Raises BlockingIOError when there is nothing
    yet."""
    if spare:
        os.close(spare.pop())
    flags = _socket.MSG_CMSG_CLOEXEC | _DO_NOT_WAIT
    data, rights, _, _ = line.recvmsg(most, _socket.CMSG_SPACE(4), flags)
    return data, struct.unpack('i', rights[0][2])[0] if rights else None


def receive(line, on_head=None):
    """The next (kind, payload, descriptors); None when there will be none. Calls `on_head` when there is one, of
    which more may follow."""
    room = _socket.CMSG_SPACE(_MOST_DESCRIPTORS * 4)
    head, rights, _, _ = line.recvmsg(_HEAD.size, room, _socket.MSG_CMSG_CLOEXEC)
    descriptors = ()
    if rights:
        packed = rights[0][2]
        descriptors = struct.unpack('%di' % (len(packed) // 4), packed)
    payload = None
    if head and on_head is not None:
        on_head()
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
