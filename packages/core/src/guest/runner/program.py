"""The process of a program, between its fork and its first own instruction: input, limits, walls."""

import errno
import functools
import os
import signal

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
landlock = load('landlock')
limits = load('limits')
namespaces = load('namespaces')
python_program = load('python_program')
reasons = load('reasons')
system = load('system')
workspace = load('workspace')

STATUS, RULES, FAILED = 3, 4, b'\r'
_RESERVED_SIGNALS = {int(signal.SIGCHLD), int(signal.SIGTERM), int(signal.SIGUSR1)}


class Unwound(BaseException):
    """Carries what a fork is to `run` down to the bottom of the stack, out of the runner's own calls."""

    def __init__(self, run):
        super().__init__()
        self.run = run


def become(settings, request, place, rules, laid_out, status, memory_flag):
    """Becomes the program that was asked for; never returns, but raises Unwound for Python code.
    `status` leads to the supervisor, which has perhaps laid out the workspace; `rules` are Landlock's."""
    # In the place of the line, which is not for programs.
    os.dup2(status, STATUS, inheritable=False)
    try:
        _prepare(settings, request, place, rules, laid_out)
        if request.is_python:
            _run_python(request, place, memory_flag)
        else:
            _execute(request)
    except Exception as error:
        workspace.write_all(STATUS, FAILED + frames.encoded(reasons.not_started(error)))
    os._exit(125)


def _prepare(settings, request, place, rules, laid_out):
    for descriptor in settings['cgroupSlots'][request.slot] if request.slot is not None else ():
        os.write(descriptor, b'0')
    os.setsid()
    _connect_input(request)
    if laid_out is None:
        if settings['confinement'] == 'namespaces' and request.limits.get('diskBytes'):
            namespaces.resize(place.root, request.limits['diskBytes'])
        if settings['confinement'] == 'namespaces':
            # Of a fork that was made ahead; later ones never had any.
            system.bound_capabilities()
            system.drop_capabilities()
        # Others have run since it was made.
        place.make()
        laid_out = place.lay_out(request)
        workspace.write_all(STATUS, frames.encoded(laid_out))
    if rules is not None:
        os.dup2(rules, RULES, inheritable=False)
    system.close_from(STATUS + 1 if rules is None else RULES + 1)
    limits.set_limits(request.rlimits())
    _enter(place.root, request.cwd)
    _confine(settings, rules is not None)


def _connect_input(request):
    if request.piped:
        return
    if request.input is None:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    else:
        # A file, so that /dev/stdin can be opened again; in memory, and counted as the program's.
        descriptor = os.memfd_create('stdin', os.MFD_CLOEXEC)
        workspace.write_all(descriptor, request.input)
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
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _RESERVED_SIGNALS)
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


def _candidates(name, env):
    if '/' in name:
        return [name]
    return [os.path.join(folder or '.', name) for folder in env.get('PATH', os.defpath).split(':')]


def _run_python(request, place, memory_flag):
    # All that the program could reach of ours is closed before it runs.
    os.close(STATUS)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _RESERVED_SIGNALS)
    raise Unwound(functools.partial(python_program.run, request, place.root, memory_flag))
