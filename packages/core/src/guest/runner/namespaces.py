"""Namespaces of an execution's own: other users, processes, mounts and IPC, made by a user without rights."""

import os

system = load('system')

_QUIET = system.MOUNT_NO_SETUID | system.MOUNT_NO_DEVICES
_FILES_OF_WORKSPACE, _FILES_OF_TMP, _FILES_OF_SHARED_MEMORY = 8192, 4096, 1024
_DEFAULT_WORKSPACE_BYTES = 256 << 20


def clone():
    """Forks into them; 0 in the child, which is their first process."""
    return system.clone(system.NEW_NAMESPACES)


def identify(user, group):
    """Keeps this process's own ids."""
    # What is not dumpable has its /proc/self/*_map owned by root.
    system.set_dumpable(True)
    for name, value in (
        ('setgroups', 'deny'),
        ('uid_map', '%d %d 1' % (user, user)),
        ('gid_map', '%d %d 1' % (group, group)),
    ):
        descriptor = os.open('/proc/self/' + name, os.O_WRONLY)
        try:
            os.write(descriptor, value.encode())
        finally:
            os.close(descriptor)
    system.set_dumpable(False)


def settle():
    """For the first process of a namespace: mounts stay in here, and /proc shows what is in here."""
    system.mount(None, '/', None, system.MOUNT_RECURSIVE | system.MOUNT_PRIVATE)
    try:
        # Without the first process, whose figures tell of the programs before.
        system.mount('proc', '/proc', 'proc', _QUIET | system.MOUNT_NO_EXEC, 'hidepid=2')
    except PermissionError:
        # Under a container engine that masks parts of it. The old one shows other executions: better none.
        cover('/proc', 4096, 2, '0555', system.MOUNT_READ_ONLY)


def number_anew():
    """Gives the next process the number that the first one after this was given: numbers tell of earlier
    ones."""
    try:
        file = os.open('/proc/sys/kernel/ns_last_pid', os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        # Not in each kernel, and nowhere when there is no /proc.
        return
    try:
        os.write(file, b'1')
    finally:
        os.close(file)


def have_own(settings):
    """Takes mounts and IPC for this process and what it starts: /tmp, /dev/shm, terminals and a fresh
    workspace, with nothing to be seen of what is hidden from it. Returns what `share` takes off again."""
    system.unshare(system.MOUNTS | system.IPC)
    kept = _held_below('/tmp', settings)
    cover('/tmp', settings['tmpBytes'], _FILES_OF_TMP, '1777')
    if os.path.isdir('/dev/shm'):
        cover('/dev/shm', settings['shmBytes'], _FILES_OF_SHARED_MEMORY, '1777', system.MOUNT_NO_EXEC)
    _have_own_terminals()
    for path, place in kept:
        _put_back(path, place)
    open_up(settings['workspace'])
    os.makedirs(settings['workspace'], exist_ok=True)
    cover(settings['workspace'], _DEFAULT_WORKSPACE_BYTES, _FILES_OF_WORKSPACE, '0700')
    hidden = [path for path in settings['hidden'] if os.path.isdir(path)]
    for path in hidden:
        cover(path, 4096, 2, '0555', system.MOUNT_READ_ONLY)
    return [settings['workspace'], *hidden]


def share(covered):
    """For what works in the shared workspace: it is seen again."""
    for path in reversed(covered):
        system.unmount(path)


def open_up(path):
    """Where nothing covers the folders above, programs may have closed them."""
    above = os.path.dirname(path)
    for folder in (os.path.dirname(above), above):
        if not os.access(folder, os.X_OK):
            system.reopen(folder)


def _have_own_terminals():
    if not os.path.isdir('/dev/pts'):
        return
    try:
        options = 'newinstance,ptmxmode=0666,mode=0600'
        system.mount('devpts', '/dev/pts', 'devpts', system.MOUNT_NO_SETUID | system.MOUNT_NO_EXEC, options)
    except OSError:
        # Those of other executions would be seen: better none.
        cover('/dev/pts', 4096, 2, '0555', system.MOUNT_READ_ONLY)


def cover(path, size, files, mode, flags=0):
    """An empty folder in memory over `path`."""
    system.mount('tmpfs', path, 'tmpfs', _QUIET | flags, 'size=%d,nr_inodes=%d,mode=%s' % (size, files, mode))


def resize(path, size):
    """Gives a covering folder another size."""
    system.mount(None, path, None, _QUIET | system.MOUNT_REMOUNT, 'size=%d' % size)


def _held_below(folder, settings):
    """What programs need of a folder that is about to be covered, held open: (path, descriptor)."""
    needed = [*settings['readOnly'], *settings['readWrite'], settings['workspace']]
    below = sorted({path for path in needed if path.startswith(folder + '/') and os.path.isdir(path)})
    return [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in below]


def _put_back(path, place):
    os.makedirs(path, exist_ok=True)
    system.mount('/proc/self/fd/%d' % place, path, None, system.MOUNT_BIND | system.MOUNT_RECURSIVE)
    os.close(place)
