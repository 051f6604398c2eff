"""The control process: alone holds the session's descriptors, passes frames on, and replaces the worker, in
which the code of the user runs, when it has died or does not let itself be interrupted."""

import gc
import os
import selectors
import signal
import sys

evidence, framing, system, workers = load('evidence'), load('framing'), load('system'), load('workers')

READ_BYTES = 64 * 1024
MOST_FROM_WORKER = 63 * 1024 * 1024
NONCE_BYTES = 16
DRAIN_BYTES = 4 * 1024 * 1024
MOST_STILLBORN = 10
MOST_LAST_READS = 64


class Control:
    """The host on one side, the worker on the other."""

    def __init__(self, options):
        self.options = options
        self.host_in, self.host_out = system.take_over_channels()
        self.from_host = framing.Frames()
        self.selector = selectors.DefaultSelector()
        self.cell = 0
        #: Of the present cell: it runs; it is to be interrupted; how often it has been.
        self.started, self.interrupted, self.interrupts = False, False, 0
        #: What a worker has still to begin: if it dies before, its successor gets it.
        self.request = None
        self.nonce = self.nonce_before = os.urandom(NONCE_BYTES)
        #: Number of the last replacement that the host asked for.
        self.replacement = 0
        #: Workers in a row that have ended by themselves before they ran a cell.
        self.stillborn = 0
        self.wake = watch_children()
        self.selector.register(self.host_in, selectors.EVENT_READ, self.on_host)
        self.selector.register(self.wake, selectors.EVENT_READ, self.on_child)
        self.evidence = evidence.Evidence()
        self.worker = None

    def serve(self):
        """Until the host has gone."""
        version = '.'.join(str(part) for part in sys.version_info[:3])
        hello = {'protocol': 1, 'language': 'python', 'version': version, 'executable': sys.executable or ''}
        framing.write_all(self.host_out, framing.MAGIC)
        self.tell(framing.HELLO, 0, framing.as_json(hello))
        self.start_worker()
        while True:
            for key, ready in self.evidence.select(self.selector):
                # One that was ready may be gone by the time it is its turn.
                if self.selector.get_map().get(key.fd) is key:
                    key.data(ready)

    def tell(self, kind, number, payload=b''):
        """One frame to the host."""
        try:
            framing.write_all(self.host_out, framing.pack(kind, number, payload))
        except OSError:
            self.leave()

    def tell_call(self, number, payload):
        """A call of the worker to the host."""
        self.tell(framing.CALL, number, payload)

    def leave(self):
        """The host has gone: nobody stays behind."""
        self.worker.end()
        os._exit(0)

    # The host.

    def on_host(self, _):
        """Frames of the host."""
        data = os.read(self.host_in, READ_BYTES * 16)
        if not data:
            self.leave()
        for kind, number, payload in self.from_host.feed(data):
            if kind == framing.RUN:
                self.cell, self.request = number, payload
                self.give()
            elif kind == framing.INTERRUPT and number == self.cell:
                self.interrupted = True
                self.interrupt()
            elif kind == framing.REPLACE:
                # Whatever it has not begun is over, too.
                self.replacement, self.request, self.worker.condemned = number, None, True
                self.worker.signal(signal.SIGKILL)
            elif kind == framing.REPLY:
                self.worker.answer(number, payload)
                self.worker.ask_next(self.tell_call)
        self.watch_worker()

    def give(self):
        """The present cell to the present worker."""
        self.started, self.interrupts = False, 0
        self.evidence.start(self.worker.pid)
        self.nonce_before, self.nonce = self.nonce, os.urandom(NONCE_BYTES)
        self.worker.queue('commands', framing.pack(framing.RUN, self.cell, self.nonce + self.request))

    def interrupt(self):
        """Passes an interrupt on once there is something to interrupt: before, it would be lost."""
        if self.started and self.interrupted:
            self.interrupted = False
            self.interrupts += 1
            # It may wait for a child and hear nothing meanwhile, as in os.system(): the second one is for both.
            self.worker.signal(signal.SIGINT, to_group=self.interrupts == 2)

    # The worker.

    def start_worker(self):
        """A fresh worker."""
        self.worker = workers.Worker(self.options, lambda: self.tell(framing.READY, self.replacement))
        self.from_worker = framing.Frames(MOST_FROM_WORKER)
        self.watch_worker()

    def watch_worker(self):
        """Listens where something may come from, and not to one that has not taken its reply yet."""
        worker = self.worker
        wanted = {
            worker.stdout: (selectors.EVENT_READ, lambda _: self.on_output(framing.STDOUT, worker.stdout)),
            worker.stderr: (selectors.EVENT_READ, lambda _: self.on_output(framing.STDERR, worker.stderr)),
            worker.up: (0 if worker.owes_reply() else selectors.EVENT_READ, self.on_worker),
            worker.commands: (selectors.EVENT_WRITE if worker.waiting['commands'] else 0, self.on_room),
            worker.replies: (selectors.EVENT_WRITE if worker.waiting['replies'] else 0, self.on_room),
        }
        for descriptor, (events, callback) in wanted.items():
            registered = self.selector.get_map().get(descriptor)
            if events == 0 or descriptor in worker.ended:
                if registered is not None:
                    self.selector.unregister(descriptor)
            elif registered is None:
                self.selector.register(descriptor, events, callback)

    def on_room(self, _):
        """The worker takes more."""
        self.worker.push()
        self.watch_worker()

    def on_output(self, kind, descriptor):
        """What the code of the user wrote."""
        data = self.worker.read(descriptor, READ_BYTES)
        if data:
            self.tell(kind, self.cell, data)
        elif data == b'':
            self.watch_worker()

    def on_worker(self, _):
        """Frames of the worker, or of whoever found its channel: one without the nonce is dropped."""
        data = self.worker.read(self.worker.up, READ_BYTES * 16)
        if data:
            self.hear(data)
        self.watch_worker()

    def hear(self, data):
        """What came on its channel."""
        try:
            frames = self.from_worker.feed(data)
        except framing.Malformed:
            # From here on nothing can be told apart. Whoever wrote there has spoilt their own cell.
            self.worker.spoilt, self.request = True, None
            self.worker.signal(signal.SIGKILL)
            frames = []
        for kind, number, payload in frames:
            nonce = payload[:NONCE_BYTES]
            # A thread may call while the next cell is on its way; that one's nonce it cannot know yet.
            if nonce == self.nonce or (kind == framing.CALL and nonce == self.nonce_before):
                self.pass_on(kind, number, payload[NONCE_BYTES:])

    def pass_on(self, kind, number, payload):
        """A frame of the worker to the host."""
        if kind == framing.CALL:
            self.worker.ask(number, payload, self.tell_call)
        elif number == self.cell and kind == framing.STARTED:
            self.started, self.stillborn, self.request = True, 0, None
            self.interrupt()
        elif number == self.cell and self.cell != 0 and kind in (framing.DISPLAY, framing.DONE):
            if kind == framing.DONE:
                self.drain()
            self.tell(kind, number, payload)
            if kind == framing.DONE:
                self.cell = 0
                self.evidence.stop()

    def drain(self):
        """What the cell has written lies in the pipes before it says that it is done; others may go on."""
        for kind, descriptor in ((framing.STDOUT, self.worker.stdout), (framing.STDERR, self.worker.stderr)):
            left = DRAIN_BYTES
            data = self.worker.read(descriptor, READ_BYTES)
            while data:
                self.tell(kind, self.cell, data)
                left -= len(data)
                data = self.worker.read(descriptor, READ_BYTES) if left > 0 else None

    def on_child(self, _):
        """Somebody has ended: the worker, or an orphan that came to us."""
        os.read(self.wake, 4096)
        if self.worker.reap() is None:
            return
        ended = self.worker
        for _ in range(MOST_LAST_READS):
            data = ended.read(ended.up, READ_BYTES * 16)
            if not data:
                break
            self.hear(data)
        self.drain()
        cell = 0 if self.request is not None else self.cell
        self.nonce_before = self.nonce = os.urandom(NONCE_BYTES)
        for descriptor in ended.descriptors():
            if descriptor in self.selector.get_map():
                self.selector.unregister(descriptor)
        ended.end()
        self.tell(framing.DIED, cell, framing.as_json(ended.how_it_ended(self.evidence.found())))
        self.evidence.stop()
        self.stillborn += 0 if ended.condemned else 1
        if self.stillborn > MOST_STILLBORN:
            raise SystemExit('no worker lives long enough to run a cell')
        self.start_worker()
        if self.request is None:
            self.cell = 0
        else:
            self.give()
            self.watch_worker()


def watch_children():
    """A descriptor that becomes readable when a child has ended."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    return readable


def main(options):
    """Serves the host until it has gone."""
    if sys.version_info < (3, 8) or not hasattr(os, 'fork'):
        raise SystemExit('sessions need Python 3.8 or later, and a system that can fork')
    system.keep_private()
    load('worker')
    gc.collect()
    gc.freeze()
    Control(options).serve()
