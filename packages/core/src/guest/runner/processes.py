"""Ends all that an execution has started: by its namespace, by its signal domain, or one by one."""

import os
import signal
import time

system = load('system')

_PATIENCE_SECONDS = 2.0
_TICKS = os.sysconf('SC_CLK_TCK')
_NOTHING = bytes(4096)
_stat = bytearray(_NOTHING)


class Usage:
    """What processes used, as `wait4` tells it."""

    def __init__(self):
        self.seconds, self.peak = 0.0, 0  # of memory, in KiB

    def add(self, resources):
        """Adds what one process, and those it waited for, used."""
        self.seconds += resources.ru_utime + resources.ru_stime
        self.peak = max(self.peak, resources.ru_maxrss)


class Reachable:
    """All that this process may signal at all: where that is nothing but the execution."""

    leftover = False

    def kill(self):
        """Kills all of it."""
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass

    def end(self, usage):
        """Kills until nobody is left."""
        # Whoever loses its parent becomes this one's child: without any, nobody is left.
        while system.has_children():
            self.kill()
            usage.add(os.wait4(-1, 0)[2])


class Namespace(Reachable):
    """A namespace of processes, whose first one this is."""

    def __init__(self):
        # Anywhere else it would be every process of the user.
        if os.getpid() != 1:
            raise RuntimeError('this is not the first process of a namespace')


class Domain(Reachable):
    """A Landlock domain that no signal leaves; see `landlock.scope_signals`, which has tried it."""


class Descendants:
    """Children, and theirs, by what /proc tells. A race with one that forks is run again and again."""

    def __init__(self):
        self.leftover = False

    def kill(self):
        """Kills those that are there now."""
        _kill_each(_descendants(()))

    def end(self, usage):
        """Kills until nobody is left, or for two seconds."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                pid, _, resources = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid:
                usage.add(resources)
            elif time.monotonic() > deadline:
                self.leftover = True
                return
            else:
                self.kill()
                time.sleep(0.001)


def _descendants(spared):
    """This process's children and theirs, but for those in `spared` and what comes from them."""
    parents = {int(name): _parent_of(name) for name in os.listdir('/proc') if name.isdigit()}
    found, last = set(), {os.getpid()}
    while last:
        last = {one for one, parent in parents.items() if parent in last} - found - set(spared)
        found |= last
    return found


def _kill_each(pids):
    # All are stopped first: whoever still runs may do something about the end of another.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except OSError:
                pass


def sweep(spared):
    """Ends this process's children but for the `spared`, and theirs; true when some could not be ended."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        found = _descendants(spared)
        if not found:
            return False
        if time.monotonic() > deadline:
            return True
        _kill_each(found)
        time.sleep(0.001)


def _parent_of(name):
    try:
        state, parent = _stat_of(name)[:2]
    except (OSError, ValueError):
        return -1
    # A zombie has nobody below it, and cannot be ended any further.
    return -1 if state == b'Z' else int(parent)


def _stat_of(name):
    """What /proc tells of a process, from its state on."""
    file = os.open('/proc/%s/stat' % name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        # The name in it is the program's choice. It is not taken out, and overwritten here.
        size = os.readv(file, [_stat])
        return bytes(_stat[_stat.rindex(b')', 0, size) + 1 : size]).split()
    finally:
        _stat[:] = _NOTHING
        os.close(file)


def living_seconds():
    """Processor time of all below this process that have not been waited for; 0 where /proc does not tell."""
    seconds, below = 0.0, _children_of(os.getpid())
    while below:
        name = below.pop()
        try:
            # User and system time, its own and that of those that it has waited for.
            seconds += sum(map(int, _stat_of(name)[11:15])) / _TICKS
        except (OSError, ValueError):
            continue
        below += _children_of(name)
    return seconds


def _children_of(name):
    found = []
    try:
        for thread in os.listdir('/proc/%s/task' % name):
            with open('/proc/%s/task/%s/children' % (name, thread), 'rb', 0) as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found
