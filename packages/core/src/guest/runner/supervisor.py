"""The process above the programs of one place at a time: forks each before it has been asked for, ends all
that it started, and tells how it went.

What it reads, the program that it forks next can find in its memory. So it reads numbers only: the payload
goes to the program's own process, and the desk collects files.
"""

import mmap
import os
import time

# Without the wrappers that make enumerations of numbers.
import _signal

ending = load('ending')
frames = load('frames')
landlock = load('landlock')
line = load('line')
namespaces = load('namespaces')
orders = load('orders')
place = load('place')
processes = load('processes')
program = load('program')
python_program = load('python_program')
reasons = load('reasons')
report = load('report')
rules = load('rules')
system = load('system')

_BLANK = bytes(mmap.PAGESIZE)
_MOST_UNTAKEN, _PAUSE_SECONDS = 5, 0.02


def main(settings):
    """Supervises executions, one after the other; never returns, only its forks raise Unwound. Orders are
    held back."""
    supervisor = None
    try:
        supervisor = _Supervisor(settings)
        supervisor.run()
    except program.Unwound:
        raise
    except BaseException as error:
        # What has been forked may have run: of that, nothing is told but the silence of its supervisor.
        if supervisor is None or not supervisor.has_forked:
            report.tell(frames.EXIT, frames.encoded(dict(reasons.end_of(error), usedUp=True)))
    os._exit(0)


class _Supervisor:
    def __init__(self, settings):
        self._settings = settings
        self._line = line.end(line.NUMBER)
        self.has_forked = self._has_run = False
        self._untaken = 0  # forks, one after the other, that died before they were asked
        self._place = self._tree = None
        self._shortage = mmap.mmap(-1, len(_BLANK))
        self._rules = rules.Rules(settings)

    def run(self):
        received = line.receive(self._line)
        if received is None:
            return
        self._place = place.Place(self._settings, True, received[1].hex())
        self._tree = self._make_walls()
        if report.orphaned():
            return
        python_program.resolved(self._place.root)
        while self._supervise():
            pass

    def _make_walls(self):
        settings = self._settings
        if settings['confinement'] == 'namespaces':
            # Without rights on the machine, and with all of them in here, for its forks to have mounts of
            # their own.
            namespaces.identify(settings['user'], settings['group'])
            system.die_with_parent(_signal.SIGKILL)
            namespaces.settle()
            system.bound_capabilities()
            system.refuse_new_privileges()
            return processes.Namespace()
        system.die_with_parent(orders.KILL)
        system.adopt_orphans()
        if settings['confinement'] == 'plain':
            system.refuse_new_privileges()
            return processes.Descendants()
        system.bound_capabilities()
        system.drop_capabilities()
        system.refuse_new_privileges()
        scoped = landlock.scope_signals(settings['landlockAbi'])
        if settings['syscallFilter']:
            # It leaves all that a supervisor does, and takes long to put on.
            settings['syscallFilter'].put_on()
        return processes.Domain() if scoped else processes.Descendants()

    def _supervise(self):
        """One execution; true when there may be another one."""
        self.has_forked = False
        # Python code says in it what it ran short of: no descriptor has to stay open in the program for that.
        # A program can write to all of the page.
        self._shortage[:] = _BLANK
        forked = self._fork_in_time()
        if forked is None:
            return False
        first, told = forked
        usage, asked = processes.Usage(), _Asked(told)
        status, killed = orders.await_end(first, self._tree, usage, asked.cpu_seconds)
        ended = time.monotonic()
        self._tree.end(usage)
        # What programs have sent is not for the next one. Without a program it is the desk's.
        has_more = orders.forget()
        began = asked.rest()
        if not asked.is_taken and not killed and not has_more:
            return status != 0 and self._may_try_again()
        self._untaken = 0
        self._place.fresh = asked.is_fresh
        seconds = 0 if began is None else ended - began
        short_of, ran_lines = self._shortage[:2]
        leftover = self._tree.leftover
        # What is left would be taken for the next execution's. And the order may have come before the request
        # was taken.
        used_up = leftover or killed
        numbers = status, seconds, usage.seconds, usage.peak, short_of, ran_lines, leftover, used_up
        report.tell(frames.ENDED, ending.LAYOUT.pack(*numbers))
        self._has_run = True
        return not used_up

    def _may_try_again(self):
        """A fork has died that had not been asked for anything, most likely for want of memory."""
        self._untaken += 1
        time.sleep(_PAUSE_SECONDS * self._untaken)
        return self._untaken < _MOST_UNTAKEN

    def _fork_in_time(self):
        """Forks ahead of what is to be done; when that fails, again when it has to be. None when the desk is
        done."""
        try:
            return self._fork()
        except OSError:
            return self._fork() if line.wait(self._line) else None

    def _fork(self):
        """Process id, and where the fork says what became of it."""
        # Before the fork: here the pages are this process's own and need not be copied.
        if self._has_run:
            self._rules.keep_good(self._place)
        if self._settings['confinement'] == 'namespaces':
            namespaces.number_anew()
        status, told = os.pipe()
        try:
            first = os.fork()
        except OSError:
            os.close(status)
            os.close(told)
            raise
        if first == 0:
            self._become(told)
        self.has_forked = True
        os.close(told)
        return first, status

    def _become(self, told):
        try:
            program.become(self._settings, self._line, self._place, self._rules, told, self._shortage)
        except program.Unwound:
            raise
        except BaseException:
            # Whatever happens, a fork is never a second supervisor.
            os._exit(125)


class _Asked:
    """What a program's process says of what it was asked for, before it is the program."""

    def __init__(self, told):
        self._told = told
        self._said = b''
        self.is_taken = False
        self.is_fresh = True

    def cpu_seconds(self):
        """Its most seconds of processor time; 0: any. For who knows that this has been said."""
        size = len(program.TAKEN) + program.ASKED.size
        if len(self._said) < size:
            self._said += os.read(self._told, size - len(self._said))
        return program.ASKED.unpack_from(self._said, len(program.TAKEN))[0] if len(self._said) == size else 0

    def rest(self):
        """When it began, or None. For when it has ended: all has been said."""
        self._said += os.read(self._told, 64)
        os.close(self._told)
        self.is_taken = self._said.startswith(program.TAKEN)
        said = self._said[len(program.TAKEN) :]
        if len(said) < program.ASKED.size:
            return None
        _, self.is_fresh = program.ASKED.unpack_from(said)
        began = said[program.ASKED.size :]
        return program.BEGAN.unpack(began)[0] if len(began) == program.BEGAN.size else None
