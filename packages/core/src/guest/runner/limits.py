"""Limits that the kernel holds a process to."""

import os
import resource
import time

_count = {'good_until': 0.0, 'processes': 0}
_strangers = set()
_COUNT_IS_GOOD_FOR_SECONDS = 1.0


def set_limits(limits, others):
    """Sets them on this process. `others`: processes that count and are not the program's."""
    _set(resource.RLIMIT_CORE, 0)
    cpu = limits.get('cpuSeconds')
    if cpu:
        _set(resource.RLIMIT_CPU, cpu['hard'], cpu['soft'])
    # Not the address space: Node and the JVM reserve far more of it than they use.
    for name, kind in (
        ('memoryBytes', resource.RLIMIT_DATA),
        ('openFiles', resource.RLIMIT_NOFILE),
        ('fileBytes', resource.RLIMIT_FSIZE),
    ):
        if limits.get(name) is not None:
            _set(kind, limits[name])
    if limits.get('processes') is not None:
        _set(resource.RLIMIT_NPROC, limits['processes'] + others)


def _set(kind, hard, soft=None):
    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        hard = min(hard, ceiling)
    resource.setrlimit(kind, (hard if soft is None else min(soft, hard), hard))


def processes_of_user():
    """Processes and threads of this user on the machine, as they were at most a second ago."""
    now = time.monotonic()
    if now > _count['good_until']:
        _count['good_until'] = now + _COUNT_IS_GOOD_FOR_SECONDS
        names = [name for name in os.listdir('/proc') if name.isdigit()]
        _strangers.intersection_update(names)
        _count['processes'] = sum(_threads_of_mine(name) for name in names if name not in _strangers)
    return _count['processes']


def _threads_of_mine(name):
    try:
        found = os.stat('/proc/%s/task' % name)
        # Root owns what /proc shows of a process that is not dumpable, such as this one.
        if found.st_uid == os.getuid() or found.st_uid == 0 and _is_mine(name):
            return found.st_nlink - 2
    except OSError:
        return 0
    _strangers.add(name)
    return 0


def _is_mine(name):
    with open('/proc/%s/status' % name, 'rb') as file:
        user = file.read().partition(b'\nUid:')[2].split(None, 1)[0]
    return int(user) == os.getuid()
