"""The process above one execution: forks the program, ends all that it started, and tells how it went.

What it reads, the program that it forks next can find in its memory. So it reads numbers only: the payload is
for the program's own process, which tells the desk itself why it cannot start, and the desk collects files.
"""

import mmap
import os
import signal
import time

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
landlock = load('landlock')
line = load('line')
namespaces = load('namespaces')
orders = load('orders')
packages = load('packages')
python_program = load('python_program')
place = load('place')
processes = load('processes')
program = load('program')
reasons = load('reasons')
report = load('report')
request = load('request')
rules = load('rules')
system = load('system')
workspace = load('workspace')

_WELL = {'kind': 'exit', 'code': 0}


def main(settings):
    """Supervises executions, one after the other; never returns, only its forks raise Unwound. Descriptors 0
    to 2 are the program's, and orders are held back."""
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
        self._nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self.has_forked = False
        self._asked = self._body = None
        # A spare has not been asked for anything yet: its fork will be.
        self._spare = False
        self._receive()
        self._place = place.Place(settings, True, self._asked.name.hex()) if self._asked else None
        self._shortage = None
        self._tree = None
        self._is_used_up = False
        self._ruleset, self._rules = rules.Rules(settings), None

    def run(self):
        if self._asked is None:
            return
        self._tree = self._make_walls()
        if report.orphaned():
            return
        while self._asked is not None:
            self._place.fresh = self._asked.fresh
            try:
                self._place.make()
                self._supervise()
            except (OSError, ValueError) as error:
                if self.has_forked:
                    raise
                self._let_go()
                report.tell(frames.EXIT, frames.encoded(reasons.end_of(error)))
            self._forget_body()
            self._place.empty()
            self._spare, self._asked = False, None
            # A namespace is for one execution; a Landlock domain is empty again when all in it are dead.
            if not self._is_used_up:
                self._receive()
        self._place.remove()

    def _receive(self):
        """Takes the next order, if there is one."""
        kind = line.COLLECTED
        while kind == line.COLLECTED:  # also of a program that was killed before it began
            kind, control, descriptors = line.receive(self._line) or (None, None, ())
        if kind is None:
            return
        self._spare = kind == line.SPARE
        self._asked = request.Control.unpacked(control)
        *pipes, self._body = descriptors
        for wanted, descriptor in enumerate(pipes):
            os.dup2(descriptor, wanted)
            os.close(descriptor)

    def _make_walls(self):
        settings = self._settings
        if settings['confinement'] == 'namespaces':
            # Without rights on the machine, and with all of them in here until the program has been forked.
            namespaces.identify(settings['user'], settings['group'])
            system.die_with_parent(signal.SIGKILL)
            namespaces.furnish(settings, self._asked.fresh, self._asked.disk_bytes)
            if not self._spare:
                system.drop_rights()
            system.refuse_new_privileges()
            return processes.Namespace()
        system.die_with_parent(orders.KILL)
        system.adopt_orphans()
        if settings['confinement'] == 'landlock':
            system.drop_rights()
        system.refuse_new_privileges()
        scoped = settings['confinement'] == 'landlock' and landlock.scope_signals(settings['landlockAbi'])
        return processes.Domain() if scoped else processes.Descendants()

    def _supervise(self):
        self.has_forked = False
        # Python code says in it what it ran short of: no descriptor has to stay open in the program for that.
        # A new one each time: the program can write to all of its page.
        self._shortage = mmap.mmap(-1, 2)
        root = os.open(self._place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # Before the fork: here the pages are this process's own and need not be copied.
            python_program.resolved(self._place.root)
            if self._settings['confinement'] == 'landlock':
                self._rules = self._ruleset.of(self._place)
            first, status = self._fork()
            self._let_go()
            if self._settings['confinement'] != 'namespaces' or not (self._spare or self._asked.collect):
                self._forget_body()
            if self._settings['confinement'] == 'namespaces' and self._spare:
                system.drop_rights()
            self._watch(first, status, root)
        except (OSError, ValueError):
            os.close(root)
            raise
        os.close(root)

    def _fork(self):
        """Process id, and where the fork says what became of it."""
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

    def _let_go(self):
        """Keeps nothing that belongs to the program, so that its pipes end with it."""
        for descriptor in range(line.NUMBER):
            os.dup2(self._nothing, descriptor)

    def _forget_body(self):
        if self._body is not None:
            os.close(self._body)
            self._body = None

    def _become(self, told):
        try:
            if self._spare:
                packages.warm_up()
                self._be_asked(told)
            asked = request.Request.written(self._body, self._asked.others)
            program.become(
                self._settings, asked, self._place, self._rules, told, self._shortage, self._spare
            )
        except program.Unwound:
            raise
        except BaseException:
            # Whatever happens, a fork is never a second supervisor.
            os._exit(125)

    def _be_asked(self, told):
        """In the fork of a spare: waits for what it is to do, and passes the numbers of it on."""
        received = line.receive(self._line)
        if received is None:
            os._exit(0)
        control = received[1]
        self._asked = request.Control.unpacked(control)
        system.write_all(told, control)

    def _watch(self, first, status, root):
        tree = self._tree
        forked = time.monotonic()
        said = orders.listen(status, tree, self._spare)
        if self._spare and said:
            self._asked = request.Control.unpacked(said[: request.Control.SIZE])
            said = said[request.Control.SIZE :]
        has_started = len(said) == program.START.size
        started = program.START.unpack(said)[0] if has_started else forked
        if has_started:
            report.tell(frames.STARTED, b'{}')
        usage = processes.Usage()
        how = report.how(orders.await_end(first, tree, usage, self._asked.cpu_seconds))
        end = {'how': how, 'durationMs': (time.monotonic() - started) * 1000}
        tree.end(usage)
        end.update(usage.as_report(), leftover=tree.leftover)
        if has_started:
            end.update(self._shortages(how, root), ranStartupLines=bool(self._shortage[1]))
        self._is_used_up = end['usedUp'] = tree.single_use
        is_collected = has_started and self._asked.collect is not None
        is_out_of_sight = self._settings['confinement'] == 'namespaces'
        if is_collected:
            # What comes now is no longer the program's time.
            report.tell(frames.GONE, b'{}')
        if is_collected and is_out_of_sight:
            end.update(self._collected(root))
        report.tell(frames.EXIT, frames.encoded(end))
        if is_collected and not is_out_of_sight:
            # The desk does it, or is gone.
            line.receive(self._line)

    def _shortages(self, how, root):
        """What a program that failed has run short of."""
        if how == _WELL:
            return {}
        # The program can write it too, which gains it no more than to raise the error.
        short_of = self._shortage[0] if how == python_program.RAISED else 0
        found = {
            'outOfMemory': short_of == python_program.MEMORY,
            'processesRefused': short_of == python_program.PROCESSES,
            'diskFull': self._place.is_full(root),
        }
        return {name: True for name, is_so in found.items() if is_so}

    def _collected(self, root):
        """Sends the files that it left; nothing is said of them when nobody waits any more."""
        collection = workspace.Collection(request.Request.written(self._body), report.tell_file)
        for _ in collection.steps(root):
            if orders.KILL in _signal.sigpending():
                return {}
        return collection.as_report()
