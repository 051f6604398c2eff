"""The process of a program, between its fork and its first own instruction: input, limits, walls."""

import errno
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
system = load('system')
workspace = load('workspace')

RULES, STATUS = 4, 5
# What STATUS is told when the program begins: at which moment.
START = struct.Struct('<d')


class Unwound(BaseException):
    """Carries what a fork is to `run` down to the bottom of the stack, out of the runner's own calls."""

    def __init__(self, run):
        super().__init__()
        self.run = run


def become(settings, request, place, rules, status, shortage, is_spare):
    """Becomes the program that was asked for; never returns, but raises Unwound for Python code.
    `status` tells the supervisor when it is one, or that it never will be; `rules` are Landlock's; a spare
    was forked before it was asked."""
    # As it is told so, before it has it under a number of its own.
    told = [status]
    try:
        _prepare(settings, request, place, rules, told, is_spare)
        if request.is_python:
            _run_python(request, place, shortage)
        else:
            _execute(request)
    except Exception as error:
        # In words to the desk alone: what a supervisor reads stays with it.
        report.tell(frames.NOT_STARTED, frames.encoded(reasons.not_started(error)))
        os.write(told[0], b'-')
    os._exit(125)


def _prepare(settings, request, place, rules, told, is_spare):
    os.setsid()
    if is_spare:
        _catch_up(settings, request, place)
    place.lay_out(request)
    # What was put in is not the program's use of memory.
    for descriptor in settings['cgroupSlots'][request.slot] if request.slot is not None else ():
        os.write(descriptor, b'0')
    _connect_input(request)
    if rules is None:
        system.close_range(RULES, RULES)
    elif rules != RULES:
        os.dup2(rules, RULES, inheritable=False)
    told[0] = os.dup2(told[0], STATUS, inheritable=False)
    system.close_from(STATUS + 1)
    limits.set_limits(request.rlimits())
    _enter(place.root, request.cwd)
    _confine(settings, rules is not None)


def _catch_up(settings, request, place):
    """What others have done before their fork, which was made when they had been asked."""
    if settings['confinement'] == 'namespaces':
        namespaces.open_up(place.root)
        if request.limits.get('diskBytes'):
            namespaces.resize(place.root, request.limits['diskBytes'])
        system.drop_rights()
    # Others have run since it was made.
    place.make()


def _connect_input(request):
    if request.piped:
        return
    if request.input is None:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    else:
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


def _confine(settings, has_rules):
    # As it is for a process that nobody made private.
    system.set_dumpable(True)
    if has_rules:
        landlock.enter(RULES)
    if settings['syscallFilter']:
        settings['syscallFilter'].put_on()


def _execute(request):
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, orders.HELD)
    _tell_start()
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


def _tell_start():
    """From here on all that happens is the program's: its time begins. All processes have this clock."""
    os.write(STATUS, START.pack(time.monotonic()))


def _candidates(name, env):
    if '/' in name:
        return [name]
    return [os.path.join(folder or '.', name) for folder in env.get('PATH', os.defpath).split(':')]


def _run_python(request, place, shortage):
    # All that the program could reach of ours is closed before it runs.
    os.close(line.NUMBER)
    _tell_start()
    os.close(STATUS)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, orders.HELD)
    raise Unwound(functools.partial(python_program.run, request, place.root, shortage))
