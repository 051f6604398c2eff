"""The machine as seen from inside: processors, memory, limits, folders, network. Nothing is sent anywhere."""

import os
import socket
import tempfile

try:
    import resource
except ImportError:  # Windows
    resource = None

# Addresses for documentation (RFC 5737, RFC 3849): no machine has them, and a default route leads there.
NOWHERE = ((socket.AF_INET, '192.0.2.1'), (socket.AF_INET6, '2001:db8::1'))
RLIMITS = {
    'cpuSeconds': 'RLIMIT_CPU',
    'dataBytes': 'RLIMIT_DATA',
    'addressSpaceBytes': 'RLIMIT_AS',
    'fileBytes': 'RLIMIT_FSIZE',
    'openFiles': 'RLIMIT_NOFILE',
    'processes': 'RLIMIT_NPROC',
}
CGROUP = '/sys/fs/cgroup'
# A cgroup of version 1 says "no limit" as the largest multiple of a page.
UNLIMITED = 1 << 60


def cpu_count():
    """Processors that it may use at once, as its affinity and the quota of its cgroup say."""
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        count = os.cpu_count()
    quota = cpu_quota()
    return count if quota is None or count is None else min(count, max(1, round(quota + 0.49)))


def cpu_quota():
    parts = (read(CGROUP + '/cpu.max') or '').split()
    if len(parts) != 2:
        parts = [read(CGROUP + '/cpu/cpu.cfs_' + name + '_us') or '' for name in ('quota', 'period')]
    quota, period = (int(part) if part.isdigit() else 0 for part in parts)
    return quota / period if quota and period else None


def memory_bytes():
    """The least of what the machine has, its cgroup grants and its limits allow."""
    try:
        sizes = [os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')]
    except (AttributeError, ValueError, OSError):
        sizes = []
    sizes += [number(CGROUP + name) for name in ('/memory.max', '/memory/memory.limit_in_bytes')]
    sizes += [limits().get(name) for name in ('dataBytes', 'addressSpaceBytes')]
    return min((size for size in sizes if size), default=None)


def limits():
    """What the kernel holds it to; what is not bounded is absent."""
    found = {}
    for name, constant in RLIMITS.items():
        value = resource.getrlimit(getattr(resource, constant))[0] if hasattr(resource, constant) else -1
        if value != -1 and value < UNLIMITED:
            found[name] = value
    pids = number(CGROUP + '/pids.max') or number(CGROUP + '/pids/pids.max')
    if pids:
        found['processes'] = min(pids, found.get('processes', pids))
    sizes = {'workspaceBytes': '.', 'temporaryBytes': tempfile.gettempdir(), 'sharedMemoryBytes': '/dev/shm'}
    for name, folder in sizes.items():
        size = bounded_size(folder)
        if size:
            found[name] = size
    return found


def bounded_size(folder):
    """Size of a folder in a memory file system; of any other, the disk behind it bounds nothing."""
    best = ('', '')
    folder = os.path.realpath(folder)
    for line in (read('/proc/self/mounts') or '').splitlines():
        _, point, kind = (line.split(' ') + ['', ''])[:3]
        inside = folder == point or folder.startswith(point.rstrip('/') + '/')
        if inside and len(point) >= len(best[0]):
            best = (point, kind)
    if best[1] != 'tmpfs':
        return None
    space = os.statvfs(folder)
    return space.f_blocks * space.f_frsize


def has_route():
    """Whether this machine knows a way out. Connecting a datagram socket only looks it up."""
    for family, address in NOWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
                return True
        except OSError:
            continue
    return False


def writable_folders():
    """Those of the usual folders in which a file really can be made."""
    usual = [os.getcwd(), os.path.expanduser('~'), tempfile.gettempdir(), '/tmp', '/var/tmp', '/dev/shm']
    return [folder for folder in dict.fromkeys(map(os.path.realpath, usual)) if takes_files(folder)]


def takes_files(folder):
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read(1 << 20)
    except OSError:
        return None


def number(path):
    text = (read(path) or '').strip()
    return int(text) if text.isdigit() and int(text) < UNLIMITED else None
