"""What the kernel offers and Python does not. Calls hold the interpreter's lock, as `clone` needs it."""

import ctypes
import os
import signal
import struct
import time

MOUNTS, IPC = 0x00020000, 0x08000000
NEW_NAMESPACES = 0x10000000 | 0x20000000 | MOUNTS  # of users and processes, too
SAME_PARENT = 0x8000
# EINVAL, ENOSYS: how a kernel refuses what it does not know.
UNKNOWN_TO_KERNEL = (22, 38)
MOUNT_READ_ONLY, MOUNT_NO_SETUID, MOUNT_NO_DEVICES, MOUNT_NO_EXEC = 1, 2, 4, 8
MOUNT_REMOUNT, MOUNT_BIND, MOUNT_RECURSIVE, MOUNT_PRIVATE = 32, 4096, 16384, 1 << 18

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUNDING = 1, 4, 24
_SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVILEGES = 36, 38
# MNT_DETACH, P_ALL
_DETACH, _ALL_CHILDREN = 2, 0
_CAPABILITY_VERSION_3 = 0x20080522
_CLOSE_RANGE = 436
_LAST_DESCRIPTOR = 0xFFFFFFFF
# Numbers of system calls by kind of processor: old ones have their own, newer ones share theirs.
_NUMBERS = {
    'x86_64': {'clone': 56, 'memfd_create': 319},
    'i686': {'clone': 120, 'memfd_create': 356},
    'armv7l': {'clone': 120, 'memfd_create': 385},
    'ppc64le': {'clone': 120, 'memfd_create': 360},
    # There clone takes its arguments in another order.
    's390x': {'memfd_create': 350},
}
_SHARED_NUMBERS = {'clone': 220, 'memfd_create': 279}
_NUMBERS.update(dict.fromkeys(('aarch64', 'riscv64', 'loongarch64'), _SHARED_NUMBERS))
_CLOSE_ON_EXECUTE = 1

_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
# Told what it takes: to find that out each time costs a fork many pages.
_syscall = _libc['syscall']
_syscall.restype, _syscall.argtypes = ctypes.c_long, [ctypes.c_long] + [ctypes.c_void_p] * 4
_NOTHING = (0,) * 4
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
# Made once: each new type of array costs a fork a hundred pages.
_capability_header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
_no_capabilities = (ctypes.c_uint32 * 6)()
_capabilities = (ctypes.c_uint32 * 6)(*[1] * 6)
_libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
# Looked up once, and not in each fork.
_fflush, _waitid, _unshare, _umount2, _capset = (
    getattr(_libc, name) for name in ('fflush', 'waitid', 'unshare', 'umount2', 'capset')
)


def _checked(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, '%s: %s' % (what, os.strerror(number)))
    return result


def call(what, number, *arguments):
    """A system call by its number, of at most four arguments. Whole numbers from 0 on, bytes and None are
    taken."""
    return _checked(_syscall(number, *arguments, *_NOTHING[len(arguments) :]), what)


def control(option, value=0, extra=0):
    """One `prctl`."""
    return _checked(_libc.prctl(option, value, extra, 0, 0), 'prctl %d' % option)


def clone(flags):
    """Forks as the flags say; 0 in the child, as `os.fork` returns it."""
    number = _number_of('clone')
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    no_stack_of_its_own = [ctypes.c_long(0)] * 4
    child = _libc.syscall(ctypes.c_long(number), ctypes.c_long(flags | signal.SIGCHLD), *no_stack_of_its_own)
    failure = ctypes.get_errno()
    # In the child as well: what Python does there would copy half of its memory, and is done for what is
    # forked next.
    python.PyOS_AfterFork_Parent()
    if child < 0:
        raise OSError(failure, 'clone: %s' % os.strerror(failure))
    return child


def fork_for_adoption():
    """Forks a child of this process's parent, which adopts orphans, where `clone` does not know how."""
    reader, writer = os.pipe()
    middle = os.fork()
    if middle == 0:
        middle = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.close(writer)
            while os.getppid() == middle:
                time.sleep(0.0002)
            return 0
        os.write(writer, struct.pack('i', child))
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 4)
    os.close(reader)
    os.waitpid(middle, 0)
    if not said:
        raise OSError(11, 'fork: %s' % os.strerror(11))
    return struct.unpack('i', said)[0]


def _number_of(name):
    number = _NUMBERS.get(os.uname().machine, {}).get(name)
    if number is None:
        raise OSError(38, '%s: not known for this kind of processor' % name)
    return number


def memory_file(name):
    """A file that has no name anywhere, as a descriptor that no program inherits."""
    if hasattr(os, 'memfd_create'):
        return os.memfd_create(name, _CLOSE_ON_EXECUTE)
    # Python has it only where it was built with a new C library.
    return call('memfd_create', _number_of('memfd_create'), name.encode(), _CLOSE_ON_EXECUTE)


def has_children():
    """True when this process has any, ended or not. Raising an error that says so would take longer."""
    return _waitid(_ALL_CHILDREN, 0, None, os.WEXITED | os.WNOHANG | os.WNOWAIT) == 0


def write_all(descriptor, data):
    """Writes all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def read_whole(file):
    """All that a file holds."""
    size = os.fstat(file).st_size
    data = os.pread(file, size, 0)
    while len(data) < size:
        data += os.pread(file, size - len(data), len(data))
    return data


def mount(source, target, kind, flags, data=None):
    """Mounts; strings are paths of the file system."""
    names = [None if one is None else os.fsencode(one) for one in (source, target, kind)]
    _checked(_libc.mount(*names, flags, None if data is None else data.encode()), 'mount %s' % target)


def unmount(path):
    """Takes off what has been mounted last, also when it is in use."""
    _checked(_umount2(os.fsencode(path), _DETACH), 'umount %s' % path)


def unshare(namespaces):
    """Has namespaces of its own from here on."""
    _checked(_unshare(namespaces), 'unshare')


def close_range(first, last):
    """Closes every descriptor from `first` to `last`."""
    try:
        call('close_range', _CLOSE_RANGE, first, last, 0)
    except OSError:
        # Before Linux 5.9.
        for descriptor in map(int, os.listdir('/proc/self/fd')):
            if first <= descriptor <= last:
                try:
                    os.close(descriptor)
                except OSError:
                    pass


def close_from(first):
    """Closes every descriptor from `first` on."""
    close_range(first, _LAST_DESCRIPTOR)


def close_all_but(kept):
    """Closes every descriptor that is not in `kept`."""
    first = 0
    for descriptor in sorted(kept):
        if descriptor > first:
            close_range(first, descriptor - 1)
        first = descriptor + 1
    close_from(first)


def set_dumpable(dumpable):
    """Opens or closes this process's memory and descriptors to others of its user."""
    control(_SET_DUMPABLE, int(dumpable))


def die_with_parent(number):
    """Asks for a signal when the parent ends."""
    control(_SET_DEATH_SIGNAL, number)


def adopt_orphans():
    """Makes what this process's descendants leave behind its own children."""
    control(_SET_CHILD_SUBREAPER, 1)


def reopen(path):
    """Gives this user its rights on a folder of its own again, which programs may have taken."""
    try:
        os.chmod(path, 0o700)
    except OSError:
        # Not there, or another user's: what needs it fails, and says so.
        pass


def refuse_new_privileges():
    """No setuid program gives anything from here on; filters and Landlock need it."""
    control(_SET_NO_NEW_PRIVILEGES, 1)


def bound_capabilities():
    """No program that this process, or one that it forks, becomes can have a capability again."""
    for capability in range(64):
        # Fails beyond the last one the kernel knows, and where there is no right to drop any.
        if _libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0) < 0:
            break


def drop_capabilities():
    """Gives up every capability that this process has."""
    result, failure = _capset(_capability_header, _no_capabilities), ctypes.get_errno()
    # A filter may refuse to set what is not there anyway.
    if result < 0 and (_libc.capget(_capability_header, _capabilities) < 0 or any(_capabilities)):
        raise OSError(failure, 'capset: %s' % os.strerror(failure))


def flush_native_output():
    """Writes what C code has buffered in its own `stdout`."""
    _fflush(None)
