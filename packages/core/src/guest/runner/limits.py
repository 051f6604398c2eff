"""Limits that the kernel holds a process to."""

import os
import resource
import time

_count = {'good_until': 0.0, 'others': 0}
_strangers = set()
_COUNT_IS_GOOD_FOR_SECONDS = 0.1


def limits_to_set(limits, others):
    """As (kind, (soft, hard)). `others`: processes that count and are not the program's."""
    wanted = [(resource.RLIMIT_CORE, 0, 0)]
    cpu = limits.get('cpuSeconds')
    if cpu:
        wanted.append((resource.RLIMIT_CPU, cpu['soft'], cpu['hard']))
    # Not the address space: Node and the JVM reserve far more of it than they use.
    for name, kind, more in (
        ('memoryBytes', resource.RLIMIT_DATA, 0),
        ('openFiles', resource.RLIMIT_NOFILE, 0),
        ('fileBytes', resource.RLIMIT_FSIZE, 0),
        ('processes', resource.RLIMIT_NPROC, others),
    ):
        if limits.get(name) is not None:
            wanted.append((kind, limits[name] + more, limits[name] + more))
    return [(kind, _allowed(kind, soft, hard)) for kind, soft, hard in wanted]


def _allowed(kind, soft, hard):
    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        hard = min(hard, ceiling)
    return min(soft, hard), hard


def set_limits(wanted):
    """Sets them on this process."""
    for kind, both in wanted:
        resource.setrlimit(kind, both)


def others_of_user(here):
    """Processes and threads of this user on the machine but for `here` many, as they were a moment ago."""
    now = time.monotonic()
    if now > _count['good_until']:
        _count['good_until'] = now + _COUNT_IS_GOOD_FOR_SECONDS
        names = [name for name in os.listdir('/proc') if name.isdigit()]
        _strangers.intersection_update(names)
        found = sum(_threads_of_mine(name) for name in names if name not in _strangers)
        _count['others'] = max(0, found - here)
    return _count['others']


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
