"""One worker as the control process sees it: its pipes, what it has still to be given, and its end."""

import os
import signal
import time

system = load('system')

MOST_ORPHAN_ROUNDS = 20


class Worker:
    """A forked process in which the code of the user runs."""

    def __init__(self, options, ready):
        self.ended = set()
        self.spoilt = False
        #: Its end was asked for.
        self.condemned = False
        #: The host call that has not been answered yet.
        self.call = None
        #: One that came meanwhile: whoever made the other has been interrupted, and no longer waits.
        self.next_call = None
        self.waiting = {'commands': bytearray(), 'replies': bytearray()}
        stdin, nothing = os.pipe()
        os.close(nothing)
        (self.stdout, out), (self.stderr, error), (self.up, up) = os.pipe(), os.pipe(), os.pipe()
        (commands, self.commands), (replies, self.replies) = os.pipe(), os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ends = {'up': up, 'commands': commands, 'replies': replies}
                load('worker').main(options, parent, (stdin, out, error), ends)
            finally:
                os._exit(70)
        for descriptor in (stdin, out, error, up, commands, replies):
            os.close(descriptor)
        for descriptor in self.descriptors():
            os.set_blocking(descriptor, False)
        self.status, self.cpu_seconds = None, 0.0
        ready()

    def descriptors(self):
        """Our ends of its pipes."""
        return (self.stdout, self.stderr, self.up, self.commands, self.replies)

    def read(self, descriptor, most):
        """What there is, None when there is nothing now, nothing at all once it has ended."""
        if descriptor in self.ended:
            return None
        try:
            data = os.read(descriptor, most)
        except BlockingIOError:
            return None
        if not data:
            self.ended.add(descriptor)
        return data

    def queue(self, which, data):
        """Gives it something to read, now or when it takes it."""
        self.waiting[which] += data
        self.push()

    def answer(self, number, payload):
        """The host's answer to its call; one that nobody waits for is dropped."""
        if number == self.call:
            self.call = None
            self.queue('replies', load('framing').pack(load('framing').REPLY, number, payload))

    def ask(self, number, payload, tell):
        """Tells the host of a call once the one before has been answered; of those that wait, the last."""
        if self.call is None:
            self.call = number
            tell(number, payload)
        else:
            self.next_call = (number, payload)

    def ask_next(self, tell):
        """The call that has waited."""
        if self.call is None and self.next_call is not None:
            waited, self.next_call = self.next_call, None
            self.ask(*waited, tell)

    def owes_reply(self):
        """A reply lies here that it has not taken."""
        return len(self.waiting['replies']) > 0

    def push(self):
        """Hands over what the pipes take."""
        for which, descriptor in (('commands', self.commands), ('replies', self.replies)):
            waiting = self.waiting[which]
            try:
                while waiting:
                    del waiting[: os.write(descriptor, waiting[: 1 << 20])]
            except BlockingIOError:
                pass
            except OSError:
                waiting.clear()

    def signal(self, number, to_group=False):
        """A signal to the worker alone, or to those of its group as well."""
        if self.status is None:
            try:
                (os.killpg if to_group else os.kill)(self.pid, number)
            except ProcessLookupError:
                pass

    def reap(self):
        """Takes every child that has ended. @returns the worker's status once it is among them"""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid == self.pid:
                self.status, self.cpu_seconds = status, usage.ru_utime + usage.ru_stime
        return self.status

    def how_it_ended(self, evidence):
        """Its end as the host reads it, with what was seen of its last cell."""
        if self.spoilt:
            return {'kind': 'spoilt'}
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            known = {one.value: one.name for one in signal.Signals}
            name = known.get(number, 'SIG%d' % number)
            if number != signal.SIGKILL:
                evidence = {}
            return {'kind': 'signal', 'signal': name, 'cpuMs': self.cpu_seconds * 1000, **evidence}
        return {'kind': 'exit', 'code': os.WEXITSTATUS(self.status)}

    def end(self):
        """Ends it with all that it started."""
        self.signal(signal.SIGKILL)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        # What had left the group comes to us when its parent ends, round by round.
        for _ in range(MOST_ORPHAN_ROUNDS):
            left = system.children() - {self.pid}
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            self.reap()
            if not left:
                break
            time.sleep(0.001)
        for descriptor in self.descriptors():
            os.close(descriptor)
