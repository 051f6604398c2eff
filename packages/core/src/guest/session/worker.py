"""The worker: the process in which the cells run, one after the other, all in one module `__main__`."""

import builtins
import fcntl
import io
import json
import os
import select
import signal
import sys
import types

framing, lending, system = load('framing'), load('lending'), load('system')
for _name in ('cells', 'displays', 'figures', 'imports', 'interrupts', 'failures', 'host_calls', 'notebook', 'syntax_errors'):
    load(_name)

NONCE_BYTES = 16


class Channel:
    """The way up to the control process. Every frame carries the nonce of the cell under way."""

    def __init__(self, descriptor, interrupts):
        import threading

        self.descriptor = descriptor
        self.interrupts = interrupts
        self.lock = threading.Lock()
        self.cell, self.nonce = 0, b''

    def send(self, kind, number, payload):
        """One frame, whole, whoever sends at the same time and whenever an interrupt comes."""
        if self.descriptor is None:
            raise RuntimeError('a forked copy of the session cannot display values or call the host')
        with lending.Kept(), self.interrupts.held(), self.lock:
            framing.write_all(self.descriptor, framing.pack(kind, number, self.nonce + payload))


class WholeWrites(io.FileIO):
    """A raw stream that writes all it is given: a pipe may take less when a signal comes."""

    def write(self, data):
        """All of it."""
        rest = memoryview(data).cast('B')
        total = len(rest)
        while rest:
            rest = rest[super().write(rest) :]
        return total


class Worker:
    """Runs what it is told until the control process has gone."""

    def __init__(self, options, ends):
        self.interrupts = load('interrupts').Interrupts()
        self.channel = Channel(ends['up'], self.interrupts)
        self.commands = ends['commands']
        self.pid = os.getpid()
        self.saved = [(number, os.dup(number)) for number in (0, 1, 2)]
        self.streams = self.open_streams()
        self.module = types.ModuleType('__main__')
        self.module.__dict__['__builtins__'] = builtins
        sys.modules['__main__'] = self.module
        sys.argv = ['']
        load('imports').prepare(options['workspace'])
        self.figures = load('figures')
        self.displays = load('displays').Displays(self.channel, self.figures)
        self.figures.prepare(self.displays)
        self.cells = load('cells').Cells(self.module, self.displays, options)
        builtins.display = self.displays.display
        load('notebook').prepare(self.displays)
        if options['hostNames'] is not None:
            load('host_calls').prepare(self.channel, self.interrupts, ends['replies'], options['hostNames'])
        os.register_at_fork(after_in_child=lambda: self.detach(ends))

    def serve(self):
        """One command after the other."""
        frames = framing.Frames()
        while True:
            try:
                self.wait()
                data = os.read(self.commands, 1 << 20)
                if not data:
                    os._exit(0)
                for kind, number, payload in frames.feed(data):
                    if kind == framing.RUN:
                        self.run(number, payload[:NONCE_BYTES], json.loads(payload[NONCE_BYTES:].decode()))
            except KeyboardInterrupt:
                pass  # it came after the cell had ended

    def wait(self):
        """Until there is a command. Meanwhile a signal may come late for which a cell has put up a handler: what
        that one raises, as a timeout does that nobody has called off, ends nothing."""
        while True:
            try:
                select.select([self.commands], [], [])
                return
            except KeyboardInterrupt:
                pass
            except BaseException as error:
                load('failures').safely(lambda error=error: self.tell(error))

    def tell(self, error):
        """Tells of an exception that is nobody's; the output comes with that of the next cell."""
        text = 'Between two cells:\n%s' % load('failures').text_of(error)
        os.write(self.saved[2][1], text.encode('utf-8', 'backslashreplace'))

    def run(self, number, nonce, request):
        """One cell, from its own fresh streams to its report."""
        self.channel.cell, self.channel.nonce = number, nonce
        self.restore_streams()
        load('imports').drop_changed()
        report = load('failures').brief(KeyboardInterrupt)
        with self.interrupts.allowed():
            self.channel.send(framing.STARTED, number, b'')
            try:
                report = self.cells.run(request)
            except BaseException as error:  # one of which not even its own class knows what to say
                report = load('failures').brief(type(error))
        # Once more: an interrupt may have come between a cell and what is done after it.
        lending.take_back()
        is_copy = os.getpid() != self.pid
        if is_copy and 'error' in report:
            sys.stderr.write(report['error']['traceback'])
        for stream in (sys.stdout, sys.stderr, *self.streams):
            try:
                stream.flush()
            except Exception:
                pass  # the code of the user has put something else there, or closed it
        system.flush_c()
        if is_copy:
            # A fork that has run out of the cell it was made in ends as a program does.
            os._exit(report.get('exit', 0 if report['ok'] else 1))
        report['names'] = self.cells.names()
        self.channel.send(framing.DONE, number, framing.as_json(report))

    def open_streams(self):
        """Text streams over descriptors 1 and 2 that keep nothing back, whatever comes next."""
        streams = []
        for number, errors in ((1, 'strict'), (2, 'backslashreplace')):
            raw = WholeWrites(number, 'w', closefd=False)
            raw.name = ('<stdout>', '<stderr>')[number - 1]
            streams.append(io.TextIOWrapper(raw, 'utf-8', errors, newline='\n', write_through=True))
        return streams

    def restore_streams(self):
        """What an earlier cell has closed, replaced or led elsewhere is as it was."""
        for number, saved in self.saved:
            os.dup2(saved, number)
        # A thread may be within a print() to the old ones, and Python's own print() does not hold on to its file.
        self.streams_before = self.streams
        # New ones: what a cell has put around the old ones closes them with itself, or it has detached them.
        self.streams = self.open_streams()
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.streams
        if not is_open(sys.stdin):
            sys.stdin = open(0, closefd=False)

    def detach(self, ends):
        """A copy of this process that the code of the user has forked does not speak with the control process."""
        self.channel.descriptor = None
        # Emptied, since in a copy of the copy the same numbers may be files of its own.
        while ends:
            try:
                os.close(ends.popitem()[1])
            except OSError:
                pass


def is_open(stream):
    """Neither closed nor detached, nor something else."""
    try:
        return not stream.closed
    except Exception:
        return False


def main(options, parent, streams, ends):
    """Sets up this freshly forked process and serves. Never returns."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    placed = {}
    # First out of the way of one another, then each to its place.
    moved = {name: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for name, descriptor in ends.items()}
    for offset, (name, descriptor) in enumerate(moved.items()):
        placed[name] = os.dup2(descriptor, offset + 3, inheritable=False)
    system.close_from(3 + len(ends))
    system.become_worker(parent)
    Worker(options, placed).serve()
