"""The process of a program, between its fork and its first own instruction: input, limits, walls."""

import errno
import fcntl
import functools
import os
import signal
import struct
import time

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
landlock = load('landlock')
limits = load('limits')
line = load('line')
namespaces = load('namespaces')
orders = load('orders')
python_program = load('python_program')
reasons = load('reasons')
report = load('report')
request_of = load('request')
system = load('system')
workspace = load('workspace')

STATUS = 4
# What STATUS is told: that there is a request; the most seconds of processor time (0: any) and whether it has
# a fresh workspace; and when the program begins, at which moment.
TAKEN, ASKED, BEGAN = b'+', struct.Struct('<I?'), struct.Struct('<d')


class Unwound(BaseException):
    """Carries what a fork is to `run` down to the bottom of the stack, out of the runner's own calls."""

    def __init__(self, run):
        super().__init__()
        self.run = run


def become(settings, end, place, rules, status, shortage):
    """Waits for what it is asked for at the `end` of a line, and becomes that program; never returns, but
    raises Unwound for Python code. `status` tells the supervisor when it is one, or that it never will be."""
    # As it is told so, before it has it under a number of its own.
    told = [status]
    try:
        covered, failure = _get_ready(settings)
        request = _asked(end, status)
        if failure is not None:
            raise failure
        _prepare(settings, end, request, place, rules, told, covered)
        if request.is_python:
            _run_python(request, place, shortage)
        else:
            _execute(request)
    except Exception as error:
        # In words to the desk alone: what a supervisor reads stays with it.
        report.tell(frames.NOT_STARTED, frames.encoded(reasons.not_started(error)))
        os.write(told[0], b'-')
    os._exit(125)


def _get_ready(settings):
    """Does ahead what is the same for all. Of a failure nobody can be told yet: it is returned."""
    covered = failure = None
    try:
        os.setsid()
        if settings['confinement'] == 'namespaces':
            covered = namespaces.have_own(settings)
        python_program.warm_up()
    except Exception as error:
        failure = error
    return covered, failure


def _asked(end, status):
    """The request, as soon as there is one, with its pipes in their places."""
    # From then on it is not another fork's any more.
    received = line.receive(end, lambda: os.write(status, TAKEN))
    if received is None:
        os._exit(0)
    _, data, given = received
    for wanted, descriptor in enumerate(given[:3]):
        os.dup2(descriptor, wanted)
    return request_of.Request.read(data or system.read_whole(given[3]))


def _prepare(settings, end, request, place, rules, told, covered):
    place.fresh = request.fresh
    if settings['confinement'] == 'namespaces':
        _arrange(settings, request, place, covered)
    place.make()
    place.lay_out(request)
    # What was put in is not the program's use of memory.
    for descriptor in settings['cgroupSlots'][request.slot] if request.slot is not None else ():
        os.write(descriptor, b'0')
    _connect_input(request)
    os.write(told[0], ASKED.pack(request.cpu_seconds, request.fresh))
    if request.cpu_seconds:
        os.kill(os.getppid(), orders.LIMITED)
    # Before the limits: those on their way count as open.
    if request.fresh and (request.collect or place.is_bounded):
        line.hand_over(end, frames.frame(frames.ROOT, 0), place.opened())
    kept = [told[0], rules.of(place)]
    if not request.is_python:
        kept.append(_watched(end))
    told[0], ruleset = _keep(kept)[:2]
    limits.set_limits(request.rlimits)
    _enter(place.root, request.cwd)
    _confine(settings, ruleset)


def _watched(end):
    """A pipe that ends with the start of another program in this process: the desk has its other end."""
    reader, writer = os.pipe()
    line.hand_over(end, frames.frame(frames.WATCHED, 0), reader)
    return writer


def _keep(descriptors):
    """Closes all but the program's, the line, and these, of which some may be None; returns where they are
    now."""
    lowest = STATUS + len(descriptors)
    # First out of each other's way.
    high = [one if one is None else fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, lowest) for one in descriptors]
    kept = []
    for number, one in enumerate(high, STATUS):
        if one is None:
            system.close_range(number, number)
        else:
            os.dup2(one, number, inheritable=False)
        kept.append(None if one is None else number)
    system.close_from(lowest)
    return kept


def _arrange(settings, request, place, covered):
    """Makes of the mounts what was asked for, and gives up the right to."""
    if request.fresh:
        # Others may have run since they were made.
        namespaces.open_up(place.root)
        if request.disk_bytes:
            namespaces.resize(place.root, request.disk_bytes)
    else:
        namespaces.share(covered)
    system.drop_capabilities()


def _connect_input(request):
    if request.input_bytes is None:
        return
    # A file, so that /dev/stdin can be opened again; in memory, and counted as the program's.
    descriptor = system.memory_file('stdin')
    system.write_all(descriptor, request.input)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.dup2(descriptor, 0)


def _enter(root, cwd):
    try:
        os.chdir(workspace.within(root, cwd))
    except OSError as error:
        reason = 'the working directory %r cannot be entered: %s' % (cwd, error.strerror)
        raise reasons.NotStarted(reason, errno.errorcode.get(error.errno)) from None


def _confine(settings, ruleset):
    # As it is for a process that nobody made private.
    system.set_dumpable(True)
    if ruleset is not None:
        landlock.enter(ruleset)
    # Elsewhere it is that of the supervisor.
    if settings['syscallFilter'] and settings['confinement'] != 'landlock':
        settings['syscallFilter'].put_on()


def _execute(request):
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, orders.HELD)
    _tell_begin()
    argv = request.program['argv']
    if not argv:
        raise reasons.NotStarted('there is no program to start: the argument list is empty', 'EINVAL')
    failure = None
    for path in _candidates(argv[0], request.env):
        try:
            os.execve(path, argv, request.env)
        except (FileNotFoundError, NotADirectoryError) as error:
            failure = failure or error
        except PermissionError as error:
            failure = error
    raise reasons.NotStarted('%s: %s' % (failure.strerror, argv[0]), errno.errorcode.get(failure.errno))


def _tell_begin():
    """From here on all that happens is the program's: its time begins. All processes have this clock."""
    os.write(STATUS, BEGAN.pack(time.monotonic()))


def _candidates(name, env):
    if '/' in name:
        return [name]
    return [os.path.join(folder or '.', name) for folder in env.get('PATH', os.defpath).split(':')]


def _run_python(request, place, shortage):
    # All that the program could reach of ours is closed before it runs.
    _tell_begin()
    report.tell(frames.STARTED, b'')
    os.close(line.NUMBER)
    os.close(STATUS)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, orders.HELD)
    raise Unwound(functools.partial(python_program.run, request, place.root, shortage))
