"""The process above the programs of one place at a time: forks each before it has been asked for, ends all
that it started, and tells how it went.

What it reads, the program that it forks next can find in its memory. So it reads numbers only: the payload goes
to the program's own process, and the desk collects files.
"""

import mmap
import os
import time

# Without the wrappers that make enumerations of numbers.
import _signal

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

_WELL = {'kind': 'exit', 'code': 0}


def main(settings):
    """Supervises executions, one after the other; never returns, only its forks raise Unwound. Orders are held
    back."""
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
        self.has_forked = False
        self._place = self._tree = None
        self._rules = rules.Rules(settings)

    def run(self):
        received = line.receive(self._line)
        if received is None:
            return
        self._place = place.Place(self._settings, None, received[1].hex())
        self._tree = self._make_walls()
        orders.obey_early(self._tree)
        if report.orphaned():
            return
        while self._supervise():
            pass
        self._place.remove()

    def _make_walls(self):
        settings = self._settings
        if settings['confinement'] == 'namespaces':
            # Without rights on the machine, and with all of them in here, for its forks to have mounts of their own.
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
        # A new one each time: the program can write to all of its page.
        shortage = mmap.mmap(-1, 2)
        forked = self._fork_in_time(shortage)
        if forked is None:
            return False
        first, status = forked
        said = orders.listen(status)
        has_started = len(said) == program.START.size
        started, cpu_seconds, fresh, collects = program.START.unpack(said) if has_started else _NEVER
        if has_started:
            report.tell(frames.STARTED, b'{}')
        usage = processes.Usage()
        how = report.how(orders.await_end(first, self._tree, usage, cpu_seconds))
        end = {'how': how, 'durationMs': (time.monotonic() - started) * 1000 if has_started else 0}
        self._tree.end(usage)
        # Programs may have sent some.
        orders.forget()
        if not said and how == _WELL:
            # Nobody has asked for it, and nobody will.
            return False
        end.update(usage.as_report(), leftover=self._tree.leftover, usedUp=self._tree.single_use)
        if has_started:
            end.update(_shortages(how, shortage[0]), ranStartupLines=bool(shortage[1]))
            self._place.fresh = fresh
        report.tell(frames.EXIT, frames.encoded(end))
        return self._tidy_up(collects, has_started and not fresh) and not self._tree.single_use

    def _fork_in_time(self, shortage):
        """Forks ahead of what is to be done; when that fails, again when it has to be. None when the desk is done."""
        try:
            return self._fork(shortage)
        except OSError:
            return self._fork(shortage) if line.wait(self._line) else None

    def _fork(self, shortage):
        """Process id, and where the fork says what became of it."""
        # Before the fork: here the pages are this process's own and need not be copied.
        if self._place.fresh is not None:
            python_program.resolved(self._place.root)
            self._rules.of(self._place)
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
            self._become(told, shortage)
        self.has_forked = True
        os.close(told)
        return first, status

    def _become(self, told, shortage):
        try:
            program.become(self._settings, self._line, self._place, self._rules, told, shortage)
        except program.Unwound:
            raise
        except BaseException:
            # Whatever happens, a fork is never a second supervisor.
            os._exit(125)

    def _tidy_up(self, collects, is_untouched):
        """Has its place as new; false when there is nobody left to need it."""
        if self._place.has_folder and not is_untouched:
            if collects and line.receive(self._line) is None:
                return False
            self._place.empty()
        return True


# What is known of a program that has not started.
_NEVER = 0.0, 0, False, False


def _shortages(how, short_of):
    """What a program that failed has run short of. It can write that too, and gains no more than to raise it."""
    found = {
        'outOfMemory': short_of == python_program.MEMORY,
        'processesRefused': short_of == python_program.PROCESSES,
    }
    return {name: True for name, is_so in found.items() if is_so and how == python_program.RAISED}
