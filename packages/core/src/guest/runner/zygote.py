"""The process that all supervisors are forked from.

It is warm, and never sees anything of an execution: each program that runs in a fork can find what it saw.
"""

import json
import os
import signal
import time

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
line = load('line')
orders = load('orders')
packages = load('packages')
program = load('program')
python_program = load('python_program')
reasons = load('reasons')
rehearsal = load('rehearsal')
streams = load('streams')
supervisor = load('supervisor')
system = load('system')


def main(settings, end):
    """Serves the desk until it is gone; returns then. A fork raises Unwound when it becomes a program."""
    system.die_with_parent(signal.SIGKILL)
    packages.put_away_environment()
    packages.warm_up()
    streams.make_ahead()
    rehearsal.rehearse(settings)
    packages.freeze()
    while True:
        received = line.receive(end)
        if received is None:
            return
        kind, payload, descriptors = received
        if kind == line.FORK:
            answer = _fork(settings, end, json.loads(payload)['python'], descriptors)
        else:
            found = _prepared(settings, end, json.loads(payload))
            answer = frames.frame(line.PREPARED, 0, frames.encoded(found))
        end.sendall(answer)


def _prepared(settings, end, names):
    try:
        found = packages.preload(names, settings['freshRoot'])
        _leave_threads(end)
        return found
    except Exception as error:
        return [], {'packages': reasons.reason_of(error)[0]}
    finally:
        _wait_for_leftovers()


def _wait_for_leftovers():
    """Some packages start programs when they are imported."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _leave_threads(end):
    """Goes on in a fork when packages have started threads. `_clone` takes none along, and knows nothing of
    the locks they hold and of who waits for them; `os.fork` lets the packages and the C library see to
    that."""
    if _is_alone():
        return
    left = os.getpid()
    if os.fork() != 0:
        os._exit(0)
    # Until the desk has adopted it.
    while os.getppid() == left:
        time.sleep(0.0002)
    system.die_with_parent(signal.SIGKILL)
    end.sendall(frames.frame(line.MOVED, os.getpid()))


def _is_alone():
    try:
        return len(os.listdir('/proc/self/task')) == 1
    except OSError:
        return False


def _fork(settings, end, is_python, descriptors):
    # Held back from the first instruction of the fork on: to it they are orders.
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, orders.HELD)
    pid = None
    try:
        if is_python and packages.find():
            _leave_threads(end)
        pid = _clone(settings)
        answer = frames.frame(line.FORKED, pid)
    except Exception as error:
        answer = frames.frame(line.NOT_FORKED, 0, frames.encoded(reasons.reason_of(error)))
    if pid == 0:
        _become_supervisor(settings, descriptors)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
    for descriptor in descriptors:
        os.close(descriptor)
    return answer


def _clone(settings):
    """Forks a child of the desk, which waits for it and is told of its end."""
    namespaces = system.NEW_NAMESPACES if settings['confinement'] == 'namespaces' else 0
    try:
        return system.clone(system.SAME_PARENT | namespaces)
    except OSError as error:
        if namespaces or error.errno not in system.UNKNOWN_TO_KERNEL:
            raise
    return system.fork_for_adoption()


def _become_supervisor(settings, given):
    try:
        # The low numbers are kept free for this; see `descriptors.py`.
        os.dup2(given[0], line.NUMBER, inheritable=False)
        os.dup2(0, 2)
        system.close_from(line.FIRST_SLOT + sum(map(len, settings['cgroupSlots'])))
        supervisor.main(settings)
    except program.Unwound:
        raise
    except BaseException:
        os._exit(125)
