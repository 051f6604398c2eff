"""What speaks for a worker's having been killed for want of memory: the kernel sends anybody's SIGKILL then."""

import os
import time

SAMPLE_SECONDS = 0.01
#: Of the control group's counters, those of its first and of its second version.
COUNTERS = (('memory', '/sys/fs/cgroup/memory', 'memory.oom_control'), ('', '/sys/fs/cgroup', 'memory.events'))


def oom_kills():
    """How often the kernel has ended a process of this control group for want of memory; None where nobody says."""
    try:
        with open('/proc/self/cgroup') as listing:
            groups = [line.rstrip('\n').split(':', 2) for line in listing]
    except OSError:
        return None
    for control, mount, file in COUNTERS:
        for _, controls, path in groups:
            if control in controls.split(','):
                # In a container the mount itself is the group.
                for folder in (mount + path, mount):
                    count = counted('%s/%s' % (folder, file))
                    if count is not None:
                        return count
    return None


def counted(path):
    """The number after `oom_kill`."""
    try:
        with open(path) as counters:
            for line in counters:
                if line.startswith('oom_kill '):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return None


class Evidence:
    """Of one cell: what was counted before it, and the memory that its worker was last seen with."""

    def __init__(self):
        self.pid, self.kills, self.resident, self.next_look = None, None, 0, 0.0

    def start(self, pid):
        """A cell begins in the process `pid`."""
        self.pid, self.kills, self.resident, self.next_look = pid, oom_kills(), 0, 0.0

    def stop(self):
        """It has come to its end."""
        self.pid = None

    def select(self, selector):
        """What is ready, after a look."""
        ready = selector.select(self.timeout())
        self.look()
        return ready

    def timeout(self):
        """After how many seconds to look again; None: never, since nothing runs or the kernel counts."""
        return SAMPLE_SECONDS if self.pid is not None and self.kills is None else None

    def look(self):
        """Notes the memory in use, unless that was done just now."""
        if self.timeout() is None or time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + SAMPLE_SECONDS
        try:
            with open('/proc/%d/statm' % self.pid) as figures:
                pages = int(figures.read().split()[1])
        except (OSError, ValueError, IndexError):
            return
        # One that has just ended has none.
        if pages > 0:
            self.resident = pages * os.sysconf('SC_PAGE_SIZE')

    def found(self):
        """What is told of it with the end of its worker."""
        if self.pid is None:
            return {}
        now = oom_kills() if self.kills is not None else None
        if now is not None:
            return {'outOfMemory': now > self.kills}
        return {'residentBytes': self.resident}
