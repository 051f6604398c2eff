"""A system-call filter, as the host made it."""

import ctypes
import struct

system = load('system')

_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2


class Filter:
    """A system-call filter (classic BPF, as bytes), laid out ahead as the kernel takes it."""

    def __init__(self, program):
        self._code = ctypes.create_string_buffer(program, len(program))
        head = struct.pack('HxxxxxxQ', len(program) // 8, ctypes.addressof(self._code))
        self._head = ctypes.create_string_buffer(head)
        self._address = ctypes.addressof(self._head)

    def put_on(self):
        """Puts it on this process."""
        system.control(_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._address)
