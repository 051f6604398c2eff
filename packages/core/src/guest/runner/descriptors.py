"""Where the runner keeps its descriptors: the line to the host out of reach, all unknown ones closed."""

import fcntl
import os

line = load('line')
system = load('system')

_HIGH = 128


def arrange(settings):
    """Returns both ends of the line to the host. Slots of cgroups get numbers that supervisors know."""
    incoming, outgoing = _moved_up((0, 1))
    slots = [_moved_up(slot) for slot in settings['cgroupSlots']]
    high = [one for slot in slots for one in slot]
    system.close_all_but([2, incoming, outgoing, *high])
    _fill_below(line.FIRST_SLOT + len(high))
    numbers = iter(range(line.FIRST_SLOT, line.FIRST_SLOT + len(high)))
    settings['cgroupSlots'] = [[_moved_to(next(numbers), one) for one in slot] for slot in slots]
    return incoming, outgoing


def _moved_up(descriptors):
    return [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, _HIGH) for one in descriptors]


def _moved_to(number, descriptor):
    os.dup2(descriptor, number, inheritable=False)
    os.close(descriptor)
    return number


def _fill_below(lowest):
    """All that is opened later has a number above those that a supervisor's own are moved to."""
    while True:
        filler = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if filler >= lowest:
            os.close(filler)
            return
