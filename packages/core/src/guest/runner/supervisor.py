"""The process above one execution: forks the program, ends all that it started, and tells how it went."""

import json
import mmap
import os
import select
import signal
import time

# Without the wrappers that make enumerations of numbers.
import _signal

frames = load('frames')
landlock = load('landlock')
line = load('line')
namespaces = load('namespaces')
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

LINE, FIRST_SLOT = line.NUMBER, 4
_KILL, _TERMINATE, _CHILD = int(signal.SIGTERM), int(signal.SIGUSR1), int(signal.SIGCHLD)
_ORDERS = {_KILL, _TERMINATE, _CHILD}
_LOOK_AGAIN_SECONDS = 0.05
_WELL = {'kind': 'exit', 'code': 0}


def main(settings, name, asked):
    """Supervises executions, one after the other; never returns, only its forks raise Unwound. Descriptors 0
    to 2 are the program's. A spare has not been `asked` for anything: its fork is there, at the line."""
    supervisor = None
    try:
        supervisor = _Supervisor(settings, name, asked)
        supervisor.run()
    except program.Unwound:
        raise
    except BaseException as error:
        # What has been forked may have run: of that, nothing is told but the silence of its supervisor.
        if supervisor is None or not supervisor.has_forked:
            report.tell(frames.EXIT, frames.encoded(reasons.end_of(error)))
    os._exit(0)


class _Supervisor:
    def __init__(self, settings, name, asked):
        self._settings = settings
        self._asked = asked
        self._spare = asked is None
        self._line = line.end(LINE)
        self._nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._place = place.Place(settings, self._spare or asked.fresh, name)
        self.has_forked = False
        self._memory_flag = None
        self._tree = None
        self._ruleset, self._rules = rules.Rules(settings), None

    def run(self):
        self._tree = self._make_walls()
        if report.orphaned():
            return
        _signal.pthread_sigmask(_signal.SIG_BLOCK, _ORDERS)
        while self._asked or self._spare:
            try:
                self._place.make()
                self._supervise()
            except (OSError, ValueError) as error:
                if self.has_forked:
                    raise
                # The files could not be put in.
                self._let_go()
                report.tell(frames.EXIT, frames.encoded(reasons.end_of(error)))
            self._place.empty()
            # A namespace is for one execution; a Landlock domain is empty again when all in it are dead.
            self._spare, self._asked = False, None if self._tree.single_use else self._next()
        self._place.remove()

    def _make_walls(self):
        settings = self._settings
        if settings['confinement'] == 'namespaces':
            # Without rights on the machine, and with all of them in here until the program has been forked.
            namespaces.identify(settings['user'], settings['group'])
            system.die_with_parent(signal.SIGKILL)
            disk = self._asked and self._asked.limits.get('diskBytes')
            namespaces.furnish(settings, self._place.fresh, disk)
            if not self._spare:
                self._drop_rights()
            system.refuse_new_privileges()
            return processes.Namespace()
        system.die_with_parent(_KILL)
        system.adopt_orphans()
        if settings['confinement'] == 'landlock':
            self._drop_rights()
        system.refuse_new_privileges()
        scoped = settings['confinement'] == 'landlock' and landlock.scope_signals(settings['landlockAbi'])
        return processes.Domain() if scoped else processes.Descendants()

    def _drop_rights(self):
        system.bound_capabilities()
        system.drop_capabilities()

    def _next(self):
        received = line.asked(self._line)
        if received is None:
            return None
        others, payload, pipes = received
        for wanted, descriptor in enumerate(pipes):
            os.dup2(descriptor, wanted)
            os.close(descriptor)
        asked = request.Request(payload, others)
        self._place.fresh = asked.fresh
        return asked

    def _supervise(self):
        self.has_forked = False
        # Python code says in it that memory ran out: no descriptor has to stay open in the program for that.
        # A new one each time: the program can write to all of its page.
        self._memory_flag = mmap.mmap(-1, 1)
        root = os.open(self._place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # Before the fork: here the pages are this process's own and need not be copied.
            laid_out = None if self._spare else self._place.lay_out(self._asked)
            python_program.resolved(self._place.root)
            if not self._spare:
                self._asked.rlimits()
            if self._settings['confinement'] == 'landlock':
                self._rules = self._ruleset.of(self._place)
            first, status = self._fork(laid_out)
            self._let_go()
            self._asked = None
            if self._settings['confinement'] == 'namespaces' and self._spare:
                self._drop_rights()
            self._watch(first, status, root, laid_out)
        except (OSError, ValueError):
            os.close(root)
            raise
        os.close(root)

    def _fork(self, laid_out):
        """Process id, and where the fork says what became of it."""
        status, told = os.pipe()
        try:
            first = os.fork()
        except OSError:
            os.close(status)
            os.close(told)
            raise
        if first == 0:
            self._become(told, laid_out)
        self.has_forked = True
        os.close(told)
        return first, status

    def _let_go(self):
        """Keeps nothing that belongs to the program, so that its pipes end with it."""
        for descriptor in range(LINE):
            os.dup2(self._nothing, descriptor)

    def _become(self, told, laid_out):
        try:
            asked = self._asked
            if self._spare:
                packages.warm_up()
                received = line.asked(self._line)
                if received is None:
                    os._exit(0)
                asked = request.Request(received[1], received[0])
            program.become(
                self._settings, asked, self._place, self._rules, laid_out, told, self._memory_flag
            )
        except program.Unwound:
            raise
        except BaseException:
            # Whatever happens, a fork is never a second supervisor.
            os._exit(125)

    def _watch(self, first, status, root, laid_out):
        tree = self._tree
        said = self._listen(status)
        started = time.monotonic()
        before, _, failure = said.partition(program.FAILED)
        if not failure:
            report.tell(frames.STARTED, b'{}')
        usage = processes.Usage()
        how = report.how(_await(first, tree, usage))
        end = {'how': how, 'durationMs': (time.monotonic() - started) * 1000}
        tree.end(usage)
        end.update(usage.as_report(), leftover=tree.leftover)
        if failure:
            end['how'] = json.loads(failure)
        else:
            # The program can write it too, which gains it no more than to raise the error.
            if self._memory_flag[0] and end['how'] == python_program.RAISED:
                end['outOfMemory'] = True
            laid_out = laid_out or json.loads(before or b'{}')
            if end['how'] != _WELL and self._place.is_full(root):
                end['diskFull'] = True
            if laid_out.get('collect'):
                end.update(report.collect(root, laid_out))
        report.tell(frames.EXIT, frames.encoded(end))

    def _listen(self, status):
        """What the program's process says until it has become the program, as bytes."""
        said = b''
        while True:
            patience = None if self._spare and not said else _LOOK_AGAIN_SECONDS
            if select.select([status], [], [], patience)[0]:
                piece = os.read(status, 1 << 16)
                if not piece:
                    break
                said += piece
            elif _KILL in _signal.sigpending():
                self._tree.kill()
        os.close(status)
        return said


def _await(first, tree, usage):
    """Wait status of the first process. An order to kill comes as a signal, also when the runner has died."""
    while True:
        order = _signal.sigwait(_ORDERS)
        if order == _KILL:
            tree.kill()
        elif order == _TERMINATE:
            _terminate(first)
        while True:
            pid, status, resources = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            usage.add(resources)
            if pid == first:
                return status


def _terminate(first):
    """Asks the program, which leads a group, and the rest of that group to end."""
    try:
        os.killpg(first, signal.SIGTERM)
    except OSError:
        # It has ended; waiting for it tells how.
        pass
