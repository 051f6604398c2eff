"""The line between a runner and a supervisor: requests with a program's pipes one way, reports the other."""

import struct

# The half of `socket` that is needed, without what the whole of it imports.
import _socket

# Of the supervisor's end, where the program has its first descriptor after the standard ones.
NUMBER = 3

_HEAD = struct.Struct('<II')
_RIGHTS = struct.Struct('3i')


def pair():
    """Both ends, which no program inherits."""
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)


def end(descriptor):
    """An end that is held as a descriptor."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, descriptor)


def ask(line, others, payload, pipes=()):
    """Sends what an EXECUTE frame holds, and the descriptors of the program's input and outputs."""
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _RIGHTS.pack(*pipes))] if pipes else []
    line.sendmsg([_HEAD.pack(others, len(payload))], rights)
    line.sendall(payload)


def asked(line):
    """The next (others, payload, descriptors); None when there will be none."""
    room = _socket.CMSG_SPACE(_RIGHTS.size)
    head, rights, _, _ = line.recvmsg(_HEAD.size, room, _socket.MSG_CMSG_CLOEXEC)
    pipes = _RIGHTS.unpack(rights[0][2]) if rights else ()
    payload = None
    if len(head) == _HEAD.size:
        others, length = _HEAD.unpack(head)
        payload = _exactly(line, length)
    return None if payload is None else (others, payload, pipes)


def _exactly(line, count):
    data = bytearray(count)
    view = memoryview(data)
    while view:
        taken = line.recv_into(view)
        if not taken:
            return None
        view = view[taken:]
    return data
